// Metrics registry. Labels come from closed sets given at declaration: an id can never become a label, and no caller
// can increase the number of series.
import type { Metric } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Registry from 'prom-client/lib/registry.js';
import Summary from 'prom-client/lib/summary.js';
import type { Key } from '../db/tables.ts';
import { Histogram } from './histogram.ts';

type LabelSets = Readonly<Record<string, readonly string[]>>;
type Labels<L extends LabelSets> = { readonly [K in keyof L]: L[K][number] };
type Sample<L extends LabelSets> = { readonly labels: Labels<L>; readonly value: number };

type Declaration<L extends LabelSets> = { readonly name: string; readonly help: string; readonly labels: L };
type GaugeDeclaration<L extends LabelSets> = Declaration<L> & {
  /** Called at each scrape. If it fails, only this gauge is left out. */
  readonly read: () => Promise<readonly Sample<L>[]> | readonly Sample<L>[];
  /** Values for the staff of one among several tenants. Absent: hidden, since `read` counts all tenants. */
  readonly readTenant?: (tenantId: Key) => Promise<readonly Sample<L>[]>;
};
type HistogramDeclaration<L extends LabelSets> = Declaration<L> & { readonly buckets?: readonly number[] };

type CounterPort<L extends LabelSets> = { add(labels: Labels<L>, by?: number): void };
type ObserverPort<L extends LabelSets> = { observe(labels: Labels<L>, value: number): void };

/**
 * Names are used unchanged, except dotted ones, which follow Micrometer: dots become underscores, counters end in
 * `_total`, timers in `_seconds`.
 */
export type Metrics = {
  counter<const L extends LabelSets>(declaration: Declaration<L>): CounterPort<L>;
  /** An external counter whose total is read at each scrape. */
  total(declaration: { readonly name: string; readonly help: string; readonly read: () => number }): void;
  /** With labels: for counters that are too hot for a lookup on each count. */
  totals<const L extends LabelSets>(declaration: Declaration<L> & { readonly read: () => readonly Sample<L>[] }): void;
  gauge<const L extends LabelSets>(declaration: GaugeDeclaration<L>): void;
  /** Durations in seconds. */
  timer<const L extends LabelSets>(declaration: HistogramDeclaration<L>): ObserverPort<L>;
  summary<const L extends LabelSets>(declaration: Declaration<L>): ObserverPort<L>;
  /** All metrics, in the Prometheus text format. */
  scrape(): Promise<Scraped>;
  /** Metrics that one among several tenants may see: none includes another's data. */
  scrapeTenant(tenantId: Key): Promise<Scraped>;
};

type Scraped = { readonly contentType: string; readonly body: string };

/** Replaces a value outside the declared set, which types forbid but data may contain. */
const otherValue = 'other';

const timerBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function openMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const ofTenants: ((into: Registry, tenantId: Key) => void)[] = [];
  const unread = new Counter({
    name: 'metrics_read_failures_total',
    help: 'Gauges that could not be read at a scrape',
    registers,
  });
  return {
    counter: declaration => {
      const counter = new Counter({ ...toOptions(declaration, 'counter'), registers });
      for (const labels of listCombinations(declaration.labels)) counter.inc(labels, 0);
      const close = toCloser(declaration.labels);
      return { add: (labels, by = 1) => counter.inc(close(labels), by) };
    },
    total: ({ name, help, read }) => {
      new Counter({
        name: toMetricName(name, 'counter'),
        help,
        registers,
        collect(this: Counter) {
          this.reset();
          this.inc(read());
        },
      });
    },
    totals: declaration => {
      const close = toCloser(declaration.labels);
      new Counter({
        ...toOptions(declaration, 'counter'),
        registers,
        collect(this: Counter) {
          this.reset();
          for (const { labels, value } of declaration.read()) this.inc(close(labels), value);
        },
      });
    },
    gauge: declaration => {
      addGauge(registers, declaration, declaration.read, () => unread.inc());
      const { readTenant } = declaration;
      if (readTenant === undefined) return;
      ofTenants.push((into, tenantId) =>
        addGauge(
          [into],
          declaration,
          () => readTenant(tenantId),
          () => unread.inc(),
        ),
      );
    },
    timer: declaration => {
      const bounds = declaration.buckets ?? timerBuckets;
      const histogram = new Histogram({ ...toOptions(declaration, 'timer'), bounds });
      registry.registerMetric(histogram as unknown as Metric);
      for (const labels of listCombinations(declaration.labels)) histogram.begin(labels);
      const close = toCloser(declaration.labels);
      return { observe: (labels, seconds) => histogram.observe(close(labels), seconds) };
    },
    summary: declaration => {
      const summary = new Summary({ ...toOptions(declaration, 'summary'), registers });
      const close = toCloser(declaration.labels);
      return { observe: (labels, value) => summary.observe(close(labels), value) };
    },
    scrape: () => read(registry),
    scrapeTenant: tenantId => {
      const own = new Registry();
      for (const add of ofTenants) add(own, tenantId);
      return read(own);
    },
  };
}

const read = async (registry: Registry): Promise<Scraped> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});

function addGauge<L extends LabelSets>(
  registers: Registry[],
  declaration: Declaration<L>,
  readSamples: () => Promise<readonly Sample<L>[]> | readonly Sample<L>[],
  failed: () => void,
): void {
  const close = toCloser(declaration.labels);
  new Gauge({
    ...toOptions(declaration, 'gauge'),
    registers,
    async collect(this: Gauge) {
      try {
        const samples = await readSamples();
        clear(this);
        for (const { labels, value } of samples) this.set(close(labels), value);
      } catch {
        clear(this);
        failed();
      }
    },
  });
}

type Kind = 'counter' | 'gauge' | 'timer' | 'summary';

function toOptions(declaration: Declaration<LabelSets>, kind: Kind) {
  return {
    name: toMetricName(declaration.name, kind),
    help: declaration.help,
    labelNames: Object.keys(declaration.labels),
  };
}

export function toMetricName(name: string, kind: Kind): string {
  if (!name.includes('.')) return name;
  const plain = name.replaceAll('.', '_');
  const ending = kind === 'counter' ? '_total' : kind === 'timer' ? '_seconds' : '';
  return plain.endsWith(ending) ? plain : plain + ending;
}

type Closer = (labels: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

function toCloser(sets: LabelSets): Closer {
  const allowed = Object.entries(sets).map(([name, values]) => [name, new Set(values)] as const);
  const isKnown = (labels: Readonly<Record<string, string>>, name: string, values: ReadonlySet<string>): boolean => {
    const value = labels[name];
    return value !== undefined && values.has(value);
  };
  return labels => {
    // The usual case, once per request.
    if (allowed.every(([name, values]) => isKnown(labels, name, values))) return labels;
    return Object.fromEntries(
      allowed.map(([name, values]) => [name, isKnown(labels, name, values) ? (labels[name] ?? '') : otherValue]),
    );
  };
}

/** Removes all series, including the zero that prom-client shows without labels. */
function clear(gauge: Gauge): void {
  gauge.reset();
  if (!('labelNames' in gauge) || (gauge.labelNames as string[]).length === 0) gauge.remove();
}

/** Series that start at zero, so that a first increase is visible; only for small label products. */
function listCombinations(sets: LabelSets): Record<string, string>[] {
  const entries = Object.entries(sets);
  const size = entries.reduce((product, [, values]) => product * values.length, 1);
  if (size > 64) return [];
  return entries.reduce<Record<string, string>[]>(
    (rows, [name, values]) => rows.flatMap(row => values.map(value => ({ ...row, [name]: value }))),
    [{}],
  );
}
