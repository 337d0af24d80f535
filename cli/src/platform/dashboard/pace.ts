// The growth rate of a count over its latest samples. Pure; times in milliseconds of a monotonic clock.
type Sample = { readonly at: number; readonly done: number };
export type Samples = readonly Sample[];

const kept = 60;
const windowMs = 30_000;

/** A count that decreased starts anew: earlier samples do not predict it. */
export function withSample(samples: Samples, sample: Sample): Samples {
  const last = samples.at(-1);
  const before = last !== undefined && sample.done < last.done ? [] : samples;
  return [...before, sample].slice(-kept);
}

const between = (from: Sample, to: Sample): number =>
  to.at <= from.at ? 0 : ((to.done - from.done) * 1000) / (to.at - from.at);

/** Per second, over the last half minute; undefined until there are two samples. */
export function paceOf(samples: Samples): number | undefined {
  const last = samples.at(-1);
  const first = samples.find(sample => last !== undefined && sample.at >= last.at - windowMs);
  return last === undefined || first === undefined || first === last ? undefined : between(first, last);
}

/** Per second between samples, for a sparkline. */
export const pacesOf = (samples: Samples): number[] =>
  samples.slice(1).map((sample, at) => between(samples[at] ?? sample, sample));

export const secondsLeft = (remaining: number, perSecond: number | undefined): number | undefined =>
  remaining === 0 ? 0 : perSecond === undefined || perSecond <= 0 ? undefined : Math.ceil(remaining / perSecond);
