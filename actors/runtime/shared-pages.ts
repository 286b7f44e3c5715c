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
  private generation = 0;
  private readonly underWay = new Map<string, Promise<EventPage>>();
  /** Held weakly: the garbage collector may take them. */
  private readonly full = new Map<string, WeakRef<EventPage>>();

  /**
   * The page, fetched by the first reader that asks. `head` is the newest event that the reader knows of: it
   * gets no page that was asked for by somebody who knew of less, because that one may not have it yet.
   */
  async read(asked: PageOfEvents, head: number, load: () => Promise<EventPage>): Promise<EventPage> {
    const place = placeOf(asked);
    const known = this.full.get(place)?.deref();
    if (known !== undefined) return known;
    const { generation } = this;
    const page = await this.share(asked, head, load);
    if (page.hasMore && generation === this.generation) this.remember(place, page);
    return page;
  }

  /** The same for a look that is not to be remembered. */
  share(asked: PageOfEvents, head: number, load: () => Promise<EventPage>): Promise<EventPage> {
    const key = `${placeOf(asked)}/${head}`;
    const reading = this.underWay.get(key);
    if (reading !== undefined) return reading;
    const underWay = this.underWay;
    const page = load().finally(() => {
      if (underWay.get(key) === page) underWay.delete(key);
    });
    underWay.set(key, page);
    return page;
  }

  /** What is asked from now on must be seen anew. */
  forget(): void {
    this.generation++;
    this.underWay.clear();
    this.full.clear();
  }

  private remember(key: string, page: EventPage): void {
    if (this.full.get(key)?.deref() === page) return;
    this.full.set(key, new WeakRef(page));
    if (this.full.size > REMEMBERED_PAGES) this.full.delete(this.full.keys().next().value!);
  }
}

const placeOf = ({ after, limit }: PageOfEvents): string => `${after}/${limit}`;
