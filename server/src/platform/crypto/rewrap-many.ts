// Rewrapping many envelopes under a provider's active key, each succeeding or failing alone: opened, sealed again, and
// verified to open to the same key before the new one may be used. Nothing is stored here.
import type { KeyObject } from 'node:crypto';
import { inParallel } from '../in-parallel.ts';
import {
  assertReopened,
  attempt,
  checkDataKey,
  checkOpened,
  type Envelope,
  type EnvelopeBinding,
  type KeyProvider,
  KeyProviderError,
  type KeyPurpose,
  type Outcome,
  toEnvelope,
  toKeyFailure,
  toProviderName,
  toPurpose,
  toUnwrapRequest,
  toWrapFailure,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';

type Rewrapping = { readonly source: Envelope; readonly binding: EnvelopeBinding };
type Opening = { readonly source: Envelope; readonly purpose: KeyPurpose };

export async function rewrapMany(
  providers: readonly KeyProvider[],
  target: KeyProvider,
  items: readonly Rewrapping[],
): Promise<Outcome<Envelope>[]> {
  const openings = items.map(({ source, binding }) => ({ source, purpose: toPurpose(binding) }));
  const purposeAt = (index: number) => (openings[index] as Opening).purpose;
  const digestAt = (index: number) => purposeAt(index).digest;
  const dataKeys = await openMany(providers, openings);
  const sealed = await onlyGood(
    dataKeys,
    (dataKey, index) => ({ dataKey, binding: digestAt(index) }),
    wrapMany(target),
  );
  const candidates = sealed.map((wrapped, index) => {
    const dataKey = dataKeys[index];
    if (dataKey instanceof KeyProviderError) return dataKey;
    if (wrapped instanceof KeyProviderError) return toWrapFailure(wrapped, toProviderName(target));
    if (dataKey === undefined) return incomplete(target);
    return attempt(() => toEnvelope(target, wrapped, { dataKey, purpose: purposeAt(index) }));
  });
  const reopened = await onlyGood(
    candidates,
    (wrapped, index) => ({ wrapped, binding: digestAt(index) }),
    unwrapMany(target),
  );
  return candidates.map((candidate, index) => {
    if (candidate instanceof KeyProviderError) return candidate;
    const [before, after] = [dataKeys[index], reopened[index]];
    if (before === undefined || before instanceof KeyProviderError || after === undefined) return incomplete(target);
    return attempt(() => {
      assertReopened(before, after);
      return candidate;
    });
  });
}

const incomplete = (provider: KeyProvider) =>
  new KeyProviderError('INVALID_RESPONSE', `${toProviderName(provider)} returned fewer results than keys were sent`);

/** One batch per provider. */
async function openMany(
  providers: readonly KeyProvider[],
  openings: readonly Opening[],
): Promise<Outcome<KeyObject>[]> {
  const outcomes: Outcome<KeyObject>[] = [];
  const requestsByProvider = new Map<KeyProvider, { readonly indexes: number[]; readonly requests: UnwrapRequest[] }>();
  for (const [index, { source, purpose }] of openings.entries()) {
    const found = attempt(() => toUnwrapRequest(providers, source, purpose.digest));
    if (found instanceof KeyProviderError) outcomes[index] = found;
    else {
      const own = requestsByProvider.get(found.provider) ?? { indexes: [], requests: [] };
      requestsByProvider.set(found.provider, own);
      own.indexes.push(index);
      own.requests.push(found.request);
    }
  }
  for (const [provider, { indexes, requests }] of requestsByProvider) {
    const answers = await unwrapMany(provider)(requests);
    for (const [at, index] of indexes.entries())
      outcomes[index] = checkAnswer(openings[index] as Opening, answers[at] ?? incomplete(provider));
  }
  return outcomes;
}

const checkAnswer = ({ source, purpose }: Opening, answer: Outcome<KeyObject>): Outcome<KeyObject> =>
  answer instanceof KeyProviderError ? answer : attempt(() => checkOpened(source, answer, purpose));

/** Runs the batch on the successful items only and puts the results back at their positions. */
async function onlyGood<T, W, R>(
  outcomes: readonly Outcome<T>[],
  toRequest: (good: T, index: number) => W,
  ask: (requests: readonly W[]) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const requests = outcomes.flatMap((outcome, index) =>
    outcome instanceof KeyProviderError ? [] : [toRequest(outcome, index)],
  );
  const answers = requests.length === 0 ? [] : await ask(requests);
  let next = 0;
  return outcomes.map(outcome => (outcome instanceof KeyProviderError ? outcome : (answers[next++] as Outcome<R>)));
}

const failureOf = (provider: KeyProvider) => (error: unknown) => toKeyFailure(error, toProviderName(provider));

const wrapMany =
  (provider: KeyProvider) =>
  (requests: readonly WrapRequest[]): Promise<readonly Outcome<WrappedKey>[]> =>
    provider.many
      ? inSlices(provider, requests, provider.many.wrap)
      : inParallel(requests, ({ dataKey, binding }) => provider.wrap(dataKey, binding).catch(failureOf(provider)));

const unwrapMany =
  (provider: KeyProvider) =>
  async (requests: readonly UnwrapRequest[]): Promise<Outcome<KeyObject>[]> => {
    const answers = await (provider.many
      ? inSlices(provider, requests, provider.many.unwrap)
      : inParallel(requests, ({ wrapped, binding }) => provider.unwrap(wrapped, binding).catch(failureOf(provider))));
    return answers.map(answer => (answer instanceof KeyProviderError ? answer : attempt(() => checkDataKey(answer))));
  };

async function inSlices<W, R>(
  provider: KeyProvider,
  requests: readonly W[],
  ask: (requests: readonly W[]) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const outcomes: Outcome<R>[] = [];
  const size = provider.many?.mostAtOnce ?? 1;
  for (let from = 0; from < requests.length; from += size) {
    const slice = requests.slice(from, from + size);
    try {
      outcomes.push(...(await ask(slice)));
    } catch (error) {
      outcomes.push(...slice.map(() => failureOf(provider)(error)));
    }
  }
  return outcomes;
}
