/** The field that every success of v1 has. */
import { Type } from "../../actors/schema.ts";

export const Success = Type.Literal(true);
