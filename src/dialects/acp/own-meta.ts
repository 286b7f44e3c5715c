/**
 * What the service and its own clients say beside the protocol: the field `troupe` of `_meta`, which everybody else
 * leaves alone.
 *
 *   prompt       message_id   names the run: the same prompt once more is the same run
 *   session/new  key          the same request once more is the same session
 *                agent        the agent of the session, in place of the connection's
 *   question     ask          names what the editor is asked, also over another connection
 *   answer       arguments    replace those of the call that is allowed
 *   update       aside        it is of this connection, and not of the run
 */
import { isJsonObject, type Json, type JsonObject } from "../../../actors/schema.ts";

const NOTHING: JsonObject = {};

/** Our own fields; without any, an empty object. */
export function ownMeta(meta: Json | undefined): JsonObject {
  const own = isJsonObject(meta) ? meta["troupe"] : undefined;
  return isJsonObject(own) ? own : NOTHING;
}
