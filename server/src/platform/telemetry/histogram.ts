// Histogram for hot paths: it finds a series by one map lookup, where that of prom-client sorts and joins the labels
// each time. prom-client reads it at a scrape.
type Series = { readonly labels: Readonly<Record<string, string>>; readonly counts: number[]; sum: number };

export class Histogram {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  /** `bounds` are ascending; values above the last one are counted too. */
  constructor(options: { name: string; help: string; labelNames: readonly string[]; bounds: readonly number[] }) {
    this.name = options.name;
    this.help = options.help;
    this.#labelNames = options.labelNames;
    this.#bounds = options.bounds;
  }

  /** Creates the series before its first value. */
  begin(labels: Readonly<Record<string, string>>): void {
    this.#find(labels);
  }

  observe(labels: Readonly<Record<string, string>>, value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`${this.name} counts numbers, not ${value}`);
    const series = this.#find(labels);
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += value;
  }

  #find(labels: Readonly<Record<string, string>>): Series {
    let key = '';
    for (const name of this.#labelNames) key += `${labels[name]}\n`;
    const existing = this.#series.get(key);
    if (existing) return existing;
    const series = { labels: { ...labels }, counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  /** Called by prom-client at a scrape, under two names. */
  async get() {
    const { name, help, type, aggregator } = this;
    return {
      name,
      help,
      type,
      aggregator,
      values: [...this.#series.values()].flatMap(series => this.#toValues(series)),
    };
  }

  getForPromString() {
    return this.get();
  }

  #toValues({ labels, counts, sum }: Series) {
    let count = 0;
    const buckets = counts.map((own, at) => {
      count += own;
      return { metricName: `${this.name}_bucket`, labels: { le: this.#bounds[at] ?? '+Inf', ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
