// The identity token of the job that runs this program: from the build system, from the environment, or from a pipe.
import { z } from 'zod';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';

/** GitHub and Forgejo name the address for a job's token in these. */
const askUrl = 'ACTIONS_ID_TOKEN_REQUEST_URL';
const askToken = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN';
export const identityVariable = 'RECORDPROOF_ID_TOKEN';

const answer = z.object({ value: z.string().min(1) });

export async function readIdentity(context: CommandContext, audience: string): Promise<string> {
  const fromEnvironment = process.env[identityVariable];
  if (fromEnvironment) return fromEnvironment;
  const url = process.env[askUrl];
  const token = process.env[askToken];
  if (url && token) return askBuildSystem(context, new URL(url), { token, audience });
  if (!process.stdin.isTTY) return (await readSecretFromStdin()).trim();
  throw new CommandError('usage', `there is no identity token: ${identityVariable} and ${askUrl} are not set`, {
    try: `set ${identityVariable}, or pipe the token in`,
  });
}

async function askBuildSystem(
  context: CommandContext,
  url: URL,
  { token, audience }: { readonly token: string; readonly audience: string },
): Promise<string> {
  url.searchParams.set('audience', audience);
  const { fetch } = await context.network();
  const response = await fetch(url.href, { headers: { authorization: `Bearer ${token}`, accept: 'application/json' } });
  const found = answer.safeParse(response.ok ? await response.json() : null);
  if (found.success) return found.data.value;
  throw new CommandError('denied', `the build system gave no identity token: it answered with ${response.status}`, {
    try: 'allow identity tokens in the workflow: permissions: id-token: write',
  });
}
