// Content security policies for pages that load only their own assets of this origin.

/**
 * A second policy in addition to one with `'self'`, which alone permits everything that this origin serves, including
 * uploaded files. A source with a path has to name a host, and behind a proxy the server does not know its own: this
 * names a path on any host, and a browser loads only what both policies permit.
 */
export const onlyBelow = (path: string, directives: readonly string[]): string =>
  directives.map(name => `${name} *:*${path}`).join('; ');
