/**
 * Pages of one stream's table, for all of its readers: who asks for the same page while it is on its
 * way gets that one, and a full page, which never changes, also later, for as long as memory has it.
 * So a thousand readers that come back at once cost the database one read for each page, and their
 * events are framed once.
 */
import type { EventPage, PageOfEvents } from "./store.ts";

/** Pages that are remembered; readers that come back together stand near each other. */
const REMEMBERED_PAGES = 64;

export class SharedPages {
  private readonly underWay = new Map<string, Promise<EventPage>>();
  /** Held weakly: memory goes to whoever needs it. */
  private readonly full = new Map<string, WeakRef<EventPage>>();

  /**
   * The page, fetched by whoever asked first. `head` is the newest event that the reader knows of: it
   * gets no page that was asked for by somebody who knew of less, because that one may not have it yet.
   */
  read({ after, limit }: PageOfEvents, head: number, load: () => Promise<EventPage>): Promise<EventPage> {
    const place = `${after}/${limit}`;
    const known = this.full.get(place)?.deref();
    if (known !== undefined) return Promise.resolve(known);
    const key = `${place}/${head}`;
    const reading = this.underWay.get(key);
    if (reading !== undefined) return reading;
    const underWay = this.underWay;
    const page = load()
      .then((found) => {
        if (found.hasMore && underWay.get(key) === page) this.remember(place, found);
        return found;
      })
      .finally(() => {
        if (underWay.get(key) === page) underWay.delete(key);
      });
    underWay.set(key, page);
    return page;
  }

  /** What is asked from now on must be seen anew. */
  forget(): void {
    this.underWay.clear();
    this.full.clear();
  }

  private remember(key: string, page: EventPage): void {
    this.full.set(key, new WeakRef(page));
    if (this.full.size > REMEMBERED_PAGES) this.full.delete(this.full.keys().next().value!);
  }
}
