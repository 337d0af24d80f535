// The part of undici that calls need: the whole brings mocks, caches and WebSockets along, and costs more to load. Its own
// types of requests and answers are not quite those of the web, its values are.
declare module 'undici/index-fetch.js' {
  export { EnvHttpProxyAgent } from 'undici';

  type Init = RequestInit & { readonly dispatcher: import('undici').Dispatcher };
  export const fetch: (url: string, init: Init) => Promise<Response>;
}
