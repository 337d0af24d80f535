// The endpoints that every kind of runs has: list, read, items, and changes of a run.
import { z } from 'zod';
import { recordId, sliceOf, sliceQuery } from './common.ts';
import { type AnyEndpoint, endpoint } from './endpoint.ts';

const common = { access: 'system:admin', rate: 'other' } as const;
const byRun = z.object({ runId: recordId });

export type RunChange = 'pause' | 'resume' | 'cancel' | 'retry';

type Kind<Run extends z.ZodType, Item extends z.ZodType, ItemQuery extends z.ZodType> = {
  /** Also the topic of its commands: recordproof admin <feature>. */
  readonly feature: string;
  readonly prefix: string;
  /** In the names of its endpoints: listBackfills, pauseBackfill. */
  readonly name: string;
  /** In the summaries, before "run". */
  readonly adjective?: string;
  readonly run: Run;
  readonly item: Item;
  readonly itemQuery: ItemQuery;
};

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function runEndpoints<Run extends z.ZodType, Item extends z.ZodType, ItemQuery extends z.ZodType>(
  kind: Kind<Run, Item, ItemQuery>,
) {
  const { feature, prefix, name, run, item, itemQuery } = kind;
  const words = kind.adjective === undefined ? 'run' : `${kind.adjective} run`;
  const a = `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
  const ofFeature = { ...common, feature };
  const ofRun = { ...ofFeature, params: byRun, errors: ['RESULT_DATA_NONE'] } as const;
  const toStart = (summary: string) =>
    endpoint(`start${name}`, {
      ...ofFeature,
      route: `POST ${prefix}`,
      summary,
      answer: run,
      errors: ['RUN_STATE_CONFLICT'],
    });
  const toChange = (change: RunChange, summary: string) =>
    endpoint(`${change}${name}`, {
      ...ofRun,
      route: `POST ${prefix}/{runId}/${change}`,
      summary,
      answer: run,
      errors: ['RESULT_DATA_NONE', 'RUN_STATE_CONFLICT'],
    });
  return {
    feature,
    list: endpoint(`list${name}s`, {
      ...ofFeature,
      route: `GET ${prefix}`,
      summary: `${capitalize(words)}s of the own tenant, newest first`,
      query: sliceQuery,
      answer: sliceOf(run),
    }),
    get: endpoint(`get${name}`, {
      ...ofRun,
      route: `GET ${prefix}/{runId}`,
      summary: `${capitalize(a)} and its counts`,
      answer: run,
    }),
    items: endpoint(`list${name}Items`, {
      ...ofRun,
      route: `GET ${prefix}/{runId}/items`,
      summary: `The items of ${a}, in the order in which they were found`,
      query: itemQuery,
      answer: sliceOf(item),
    }),
    pause: toChange('pause', `Pause ${a}; work that is under way is finished`),
    resume: toChange('resume', `Resume a paused ${words}`),
    toStart,
    toChange,
  };
}

/** The fields that the runs of every kind have. */
export type AnyRun = {
  readonly runId: string;
  readonly mode: string;
  readonly status: string;
  /** False while items are still being found and the counts grow. */
  readonly discoveryCompleted: boolean;
  readonly totalCount: number;
  readonly remainingCount: number;
  readonly failedCount: number;
  /** Failed items that a retry queues again: only then can a run be retried. Kinds without retries have none. */
  readonly retryableCount?: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
};

type Slice<T> = { readonly records: readonly T[]; readonly nextCursor: string | null };
type Answering<E extends AnyEndpoint, A> = Omit<E, 'answer'> & { readonly answer: z.ZodType<A> | undefined };
type Made = ReturnType<typeof runEndpoints<z.ZodType, z.ZodType, typeof sliceQuery>>;
type Endpoints = Made & { readonly start: ReturnType<Made['toStart']> };

/** The endpoints of a kind, as clients of any kind use them. */
export type RunEndpoints<Run extends AnyRun = AnyRun, Item = unknown> = {
  readonly feature: string;
  readonly list: Answering<Endpoints['list'], Slice<Run>>;
  readonly get: Answering<Endpoints['get'], Run>;
  readonly items: Answering<Endpoints['items'], Slice<Item>>;
  /** Of a kind whose runs need nothing to start with. */
  readonly start?: Answering<Endpoints['start'], Run>;
} & { readonly [Change in 'pause' | 'resume']: Answering<Endpoints['pause'], Run> } & {
  readonly [Change in 'cancel' | 'retry']?: Answering<Endpoints['pause'], Run>;
};
