/**
 * Where apps are served (WSP-14):
 *
 *   without APPS_URL               <service>/apps/<label>/…        the API's own origin
 *   https://apps.example           https://apps.example/<label>/…  one origin for all apps
 *   https://*.apps.example         https://<label>.apps.example/…  an origin for each app
 */

/** A request's target: an app, and a path in it. */
export interface AppTarget {
  readonly label: string;
  /** The path below the app's address, without a leading slash, as the client sent it. */
  readonly path: string;
}

const LABEL = /^[a-z0-9][a-z0-9-]{12,62}$/;
const OWN_PATH = "/apps/";

export class AppPlaces {
  /** Whether each app has an origin of its own. */
  readonly areApart: boolean;
  private readonly appsUrl: URL | null;
  private readonly appUrl: () => string;

  /** `appUrl` is called only after the port is open. */
  constructor(appsUrl: string | undefined, appUrl: () => string) {
    // A star is not valid in a host, so it is replaced here and put back where the label goes.
    this.areApart = appsUrl?.includes("//*.") === true;
    this.appsUrl = appsUrl === undefined ? null : new URL(appsUrl.replace("//*.", "//"));
    this.appUrl = appUrl;
  }

  /** Whether there are hosts that serve nothing but apps. */
  get haveHosts(): boolean {
    return this.appsUrl !== null;
  }

  /** The address of an app, with a trailing slash. */
  urlOf(label: string): string {
    const { appsUrl } = this;
    if (appsUrl === null) return `${this.appUrl()}${OWN_PATH}${label}/`;
    return this.areApart
      ? `${appsUrl.protocol}//${label}.${appsUrl.host}/`
      : `${appsUrl.protocol}//${appsUrl.host}/${label}/`;
  }

  /** Whether this host serves apps and nothing else. */
  isOfApps(host: string): boolean {
    const { appsUrl } = this;
    if (appsUrl === null) return false;
    const name = host.toLowerCase();
    return this.areApart ? name.endsWith(`.${appsUrl.host}`) || name === appsUrl.host : name === appsUrl.host;
  }

  /** The app and path that a request to this host and path addresses; null if it addresses no app. */
  targetOf(host: string, pathname: string): AppTarget | null {
    const { appsUrl } = this;
    if (appsUrl !== null && !this.isOfApps(host)) return null;
    if (this.areApart && appsUrl !== null) {
      const label = host.toLowerCase().slice(0, -appsUrl.host.length - 1);
      return LABEL.test(label) ? { label, path: pathname.slice(1) } : null;
    }
    const below = appsUrl === null ? OWN_PATH : "/";
    if (!pathname.startsWith(below)) return null;
    const rest = pathname.slice(below.length);
    const slash = rest.indexOf("/");
    const label = slash === -1 ? rest : rest.slice(0, slash);
    return LABEL.test(label) ? { label, path: slash === -1 ? NO_SLASH : rest.slice(slash + 1) } : null;
  }
}

/** Marks the address of an app without its trailing slash: relative links would resolve outside the app. */
export const NO_SLASH = "\0";
