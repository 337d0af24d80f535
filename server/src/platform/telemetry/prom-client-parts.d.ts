// Types of the prom-client modules in use. The whole package also loads a push gateway, a cluster aggregator and
// process collectors, which takes six times as long at every start.
declare module 'prom-client/lib/counter.js' {
  import { Counter } from 'prom-client';
  export = Counter;
}
declare module 'prom-client/lib/gauge.js' {
  import { Gauge } from 'prom-client';
  export = Gauge;
}
declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client';
  export = Registry;
}
declare module 'prom-client/lib/summary.js' {
  import { Summary } from 'prom-client';
  export = Summary;
}
