// Content security policies that let a page load its own assets and nothing else of its origin.

/**
 * A second policy beside one that says `'self'`, which alone lets in whatever this origin serves, uploaded files included. A
 * source with a path has to name a host, and behind a proxy the server does not know its own: this names a path on any host,
 * and a browser loads only what both policies allow.
 */
export const onlyBelow = (path: string, directives: readonly string[]): string =>
  directives.map(name => `${name} *:*${path}`).join('; ');
