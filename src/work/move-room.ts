/**
 * Checks that everything below a directory still has a valid path after a move (WSP-3, WSP-8). A move changes only two
 * places, so the ones below are checked before it if the new path is deeper or longer than the old one. The move names
 * the version of the directory that was checked: each change below raises that version.
 */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { ListedPlace, PlaceQuery } from "../../actors/workspace/directory.ts";
import { type FilePath, isPathWithin, parsePath, PATH_BYTES, PATH_DEPTH } from "../../actors/workspace/path.ts";

/** Places that are read at once. */
const PLACES_PAGE = 1_000;

interface MoveParts {
  readonly system: TroupeSystem;
  /** As `FileDirectory.listPlaces`. */
  readonly listPlaces: (query: PlaceQuery) => Promise<Outcome<readonly ListedPlace[]>>;
}

/** The version of the directory for the move; null if nothing had to be checked, or if the move refuses itself. */
export async function moveRoom(
  { system, listPlaces }: MoveParts,
  ref: ActorRef<"workspace">,
  { from, to }: { readonly from: FilePath; readonly to: FilePath },
): Promise<Outcome<number | null>> {
  const found = await system.dispatch(ref, { kind: "read_place", path: from });
  if (!found.ok || isPathWithin(to, from)) return ok(null);
  const { path, place } = found.value;
  if (place.node.kind !== "directory") return ok(null);
  const isNoLonger = Buffer.byteLength(to.text) <= Buffer.byteLength(path);
  if (isNoLonger && to.names.length <= from.names.length) return ok(null);
  const { organizationId } = ref;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const query = { organizationId, directoryId: place.node.id, directory: path, isRecursive: true, limit: PLACES_PAGE };
  for (let after: string | null = null; ;) {
    const page: Outcome<readonly ListedPlace[]> = await listPlaces({ ...query, after });
    if (!page.ok) return page;
    for (const { path: listed } of page.value) {
      const below = listed.slice(path.length + 1);
      if (!parsePath(`${to.text}/${below}`).ok) return refuseDepth(below);
    }
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < PLACES_PAGE) return ok(place.version);
    after = last.path;
  }
}

const refuseDepth = (below: string): Outcome<never> =>
  refuse({
    kind: "invalid_path",
    field: "to",
    message: `Below \`to\`, \`${below}\` would have a path of more than ${PATH_DEPTH} names or ${PATH_BYTES} bytes`,
  });
