/** The console: the program that `/app` loads. It does nothing that a client of the API could not do. */
import { render } from "preact";
import { ConsoleShell } from "./shell.tsx";

const place = document.getElementById("console");
if (place !== null) render(<ConsoleShell />, place);
