/**
 * Pages of one stream's table, shared by all of its readers. Readers that request the same page while it is being read
 * share one read. A full page never changes, so it is also shared later, until the garbage collector takes it. So a
 * thousand readers that reconnect at once cost the database one read for each page, and their events are framed once.
 */
import type { EventPage, PageOfEvents } from "../store.ts";

/** Pages that are cached. Readers that reconnect together are near each other in the stream. */
const REMEMBERED_PAGES = 64;

export class SharedPages {
  private generation = 0;
  private readonly underWay = new Map<string, Promise<EventPage>>();
  /** Weak references: the garbage collector may take the pages. */
  private readonly full = new Map<string, WeakRef<EventPage>>();

  /**
   * The page, read by the first reader that requests it. `head` is the newest event that the reader knows. Requests
   * with an older `head` are not shared with it, because their page may lack that event.
   */
  async read(asked: PageOfEvents, head: number, load: () => Promise<EventPage>): Promise<EventPage> {
    const place = pagePlace(asked);
    const known = this.full.get(place)?.deref();
    if (known !== undefined) return known;
    const { generation } = this;
    const page = await this.share(asked, head, load);
    if (page.hasMore && generation === this.generation) this.remember(place, page);
    return page;
  }

  /** Like `read`, for a page that is not cached. */
  share(asked: PageOfEvents, head: number, load: () => Promise<EventPage>): Promise<EventPage> {
    const key = `${pagePlace(asked)}/${head}`;
    const reading = this.underWay.get(key);
    if (reading !== undefined) return reading;
    const underWay = this.underWay;
    const page = load().finally(() => {
      if (underWay.get(key) === page) underWay.delete(key);
    });
    underWay.set(key, page);
    return page;
  }

  /** Later requests must read again. */
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

const pagePlace = ({ after, limit }: PageOfEvents): string => `${after}/${limit}`;
