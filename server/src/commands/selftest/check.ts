// One check of a selftest: result, duration, and the remedy if it failed.
import { within } from '../../platform/within.ts';
import { toFailure } from '../failures.ts';

type Outcome =
  | { readonly status: 'ok' | 'skipped'; readonly found: string }
  | { readonly status: 'failed'; readonly found: string; readonly remedy: string };

export type Check = Outcome & { readonly name: string; readonly durationMs: number };

export const ok = (found: string): Outcome => ({ status: 'ok', found });
export const skipped = (found: string): Outcome => ({ status: 'skipped', found });
export const failed = (found: string, remedy: string): Outcome => ({ status: 'failed', found, remedy });

type Work = () => Promise<Outcome>;

const limitMs = 40_000;

/** Any error in the check is a finding; `remedy` is for errors that the check does not know. */
export async function runCheck(name: string, remedy: string, work: Work): Promise<Check> {
  const startedAt = performance.now();
  const outcome = await within(
    limitMs,
    work().catch((error: unknown) => failed(toMessage(error), remedy)),
  );
  const durationMs = Math.round(performance.now() - startedAt);
  return { name, ...(outcome ?? failed(`it did not end within ${limitMs / 1000} s`, remedy)), durationMs };
}

function toMessage(error: unknown): string {
  const { ending, message } = toFailure(error);
  return ending === 'bug' && error instanceof Error ? error.message : message;
}
