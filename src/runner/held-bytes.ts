/** Bounds the memory for answers from outside: for each organization, and in total. */

export const HELD_BYTES_OF_ORGANIZATION = 64 * 1024 * 1024;
const HELD_BYTES = 256 * 1024 * 1024;

/** The bytes that one reader holds. */
export interface HeldByReader {
  /** False if there is no room for these bytes. */
  add(bytes: number): boolean;
  /** Releases all of them. */
  release(): void;
}

export class HeldBytes {
  private readonly byOrganization = new Map<string, number>();
  private total = 0;

  of(organizationId: string): HeldByReader {
    let mine = 0;
    return {
      add: (bytes) => {
        const held = this.byOrganization.get(organizationId) ?? 0;
        if (held + bytes > HELD_BYTES_OF_ORGANIZATION || this.total + bytes > HELD_BYTES) return false;
        mine += bytes;
        this.count(organizationId, bytes);
        return true;
      },
      release: () => {
        this.count(organizationId, -mine);
        mine = 0;
      },
    };
  }

  private count(organizationId: string, bytes: number): void {
    const held = (this.byOrganization.get(organizationId) ?? 0) + bytes;
    if (held === 0) this.byOrganization.delete(organizationId);
    else this.byOrganization.set(organizationId, held);
    this.total += bytes;
  }
}
