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
  type Outcome,
  toEnvelope,
  toKeyFailure,
  toPurpose,
  toUnwrapRequest,
  toWrapFailure,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';
import type { KeyPurpose } from './key-check.ts';

type Rewrapping = { readonly source: Envelope; readonly binding: EnvelopeBinding };
type Opening = { readonly source: Envelope; readonly purpose: KeyPurpose };

export async function rewrapMany(
  providers: readonly KeyProvider[],
  target: KeyProvider,
  items: readonly Rewrapping[],
): Promise<Outcome<Envelope>[]> {
  const openings = items.map(({ source, binding }) => ({ source, purpose: toPurpose(binding) }));
  const purposeAt = (place: number) => (openings[place] as Opening).purpose;
  const digestAt = (place: number) => purposeAt(place).digest;
  const dataKeys = await openMany(providers, openings);
  const sealed = await onlyGood(
    dataKeys,
    (dataKey, place) => ({ dataKey, binding: digestAt(place) }),
    wrapMany(target),
  );
  const candidates = sealed.map((wrapped, place) => {
    const dataKey = dataKeys[place];
    if (dataKey instanceof KeyProviderError) return dataKey;
    if (wrapped instanceof KeyProviderError) return toWrapFailure(wrapped);
    if (dataKey === undefined) return incomplete();
    return attempt(() => toEnvelope(target, wrapped, { dataKey, purpose: purposeAt(place) }));
  });
  const reopened = await onlyGood(
    candidates,
    (wrapped, place) => ({ wrapped, binding: digestAt(place) }),
    unwrapMany(target),
  );
  return candidates.map((candidate, place) => {
    if (candidate instanceof KeyProviderError) return candidate;
    const [before, after] = [dataKeys[place], reopened[place]];
    if (before === undefined || before instanceof KeyProviderError || after === undefined) return incomplete();
    return attempt(() => {
      assertReopened(before, after);
      return candidate;
    });
  });
}

const incomplete = () =>
  new KeyProviderError('INVALID_RESPONSE', 'the key provider answered for fewer keys than asked');

/** One batch per provider. */
async function openMany(
  providers: readonly KeyProvider[],
  openings: readonly Opening[],
): Promise<Outcome<KeyObject>[]> {
  const outcomes: Outcome<KeyObject>[] = [];
  const requestsByProvider = new Map<KeyProvider, { readonly places: number[]; readonly requests: UnwrapRequest[] }>();
  for (const [place, { source, purpose }] of openings.entries()) {
    const found = attempt(() => toUnwrapRequest(providers, source, purpose.digest));
    if (found instanceof KeyProviderError) outcomes[place] = found;
    else {
      const own = requestsByProvider.get(found.provider) ?? { places: [], requests: [] };
      requestsByProvider.set(found.provider, own);
      own.places.push(place);
      own.requests.push(found.request);
    }
  }
  for (const [provider, { places, requests }] of requestsByProvider) {
    const answers = await unwrapMany(provider)(requests);
    for (const [index, place] of places.entries())
      outcomes[place] = checkAnswer(openings[place] as Opening, answers[index] ?? incomplete());
  }
  return outcomes;
}

const checkAnswer = ({ source, purpose }: Opening, answer: Outcome<KeyObject>): Outcome<KeyObject> =>
  answer instanceof KeyProviderError ? answer : attempt(() => checkOpened(source, answer, purpose));

/** Runs the batch on the successful items only and puts the results back at their positions. */
async function onlyGood<T, W, R>(
  outcomes: readonly Outcome<T>[],
  toRequest: (good: T, place: number) => W,
  ask: (requests: readonly W[]) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const requests = outcomes.flatMap((outcome, place) =>
    outcome instanceof KeyProviderError ? [] : [toRequest(outcome, place)],
  );
  const answers = requests.length === 0 ? [] : await ask(requests);
  let next = 0;
  return outcomes.map(outcome => (outcome instanceof KeyProviderError ? outcome : (answers[next++] as Outcome<R>)));
}

const wrapMany =
  (provider: KeyProvider) =>
  (requests: readonly WrapRequest[]): Promise<readonly Outcome<WrappedKey>[]> =>
    provider.many
      ? inSlices(requests, provider.many.mostAtOnce, provider.many.wrap)
      : inParallel(requests, ({ dataKey, binding }) => provider.wrap(dataKey, binding).catch(toKeyFailure));

const unwrapMany =
  (provider: KeyProvider) =>
  async (requests: readonly UnwrapRequest[]): Promise<Outcome<KeyObject>[]> => {
    const answers = await (provider.many
      ? inSlices(requests, provider.many.mostAtOnce, provider.many.unwrap)
      : inParallel(requests, ({ wrapped, binding }) => provider.unwrap(wrapped, binding).catch(toKeyFailure)));
    return answers.map(answer => (answer instanceof KeyProviderError ? answer : attempt(() => checkDataKey(answer))));
  };

async function inSlices<W, R>(
  requests: readonly W[],
  size: number,
  ask: (requests: readonly W[]) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const outcomes: Outcome<R>[] = [];
  for (let from = 0; from < requests.length; from += size) {
    const slice = requests.slice(from, from + size);
    try {
      outcomes.push(...(await ask(slice)));
    } catch (error) {
      outcomes.push(...slice.map(() => toKeyFailure(error)));
    }
  }
  return outcomes;
}
