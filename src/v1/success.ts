/** What every success of v1 says. */
import { Type } from "../../actors/schema.ts";

export const Success = Type.Literal(true);
