// Commands under `factors`, and `step-up`.
import { boolean, string } from '@oclif/core/flags';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { type SecondFactor, secondFactors } from '@recordproof/shared/api/factor-proofs.ts';
import { ownFactors, renewRecoveryCodes, stepUp } from '@recordproof/shared/api/factors.ts';
import { beginTotp, confirmTotp, removeTotp } from '@recordproof/shared/api/one-time-codes.ts';
import { getPassword, passwordFlags } from '../auth/account.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { askFirstCode, askSecondFactor, recoveryCodesText, signInAgain, toProof } from '../platform/give-factor.ts';
import { toMinute } from '../platform/output.ts';
import { alignRows } from '../platform/table.ts';

function toRequired(isRequired: boolean, hasFactor: boolean, enrolBy: string | null): string {
  if (!isRequired) return 'no';
  if (hasFactor) return 'yes, and set up';
  return `yes: set one up before ${enrolBy === null ? 'the next sign-in' : `${toMinute(enrolBy)} UTC`}`;
}

export const show = command({
  summary: 'Show which second factor your account has, and whether one is required',
  examples: [{ command: 'factors show', description: 'One-time codes, and how many recovery codes are left' }],
  run: async ({ context }) => (await context.session()).call(ownFactors),
  text: ({ totp, passkeys, recoveryCodesLeft, required, enrolBy }) =>
    alignRows([
      ['one-time codes', totp === null ? 'not set up' : `since ${toMinute(totp.since)} UTC`],
      ['passkeys', passkeys.length === 0 ? 'none' : passkeys.map(one => one.name).join(', ')],
      ['recovery codes', `${recoveryCodesLeft} left`],
      ['required', toRequired(required, totp !== null || passkeys.length > 0, enrolBy)],
    ]),
});

export const add = command({
  summary: 'Set up an app for one-time codes',
  description:
    'Shows a QR code and a secret, and asks for the first code of the app. From then on, signing in asks for a code. The recovery codes that are printed stand in for a lost app: keep them.',
  examples: [{ command: 'factors add', description: 'Needs a terminal' }],
  async run({ context }) {
    const session = await context.session();
    const code = await askFirstCode(context.prompter, await session.call(beginTotp));
    return session.call(confirmTotp, { body: { code } });
  },
  text: ({ recoveryCodes }) => (recoveryCodes === null ? '' : recoveryCodesText(recoveryCodes)),
  note: () => 'One-time codes are set up.',
});

export const remove = command({
  summary: 'Remove the app for one-time codes, and the recovery codes where no passkey is left',
  examples: [{ command: 'factors remove', description: 'Asks before it does' }],
  flags: { yes: yesFlag },
  async run({ flags, context }) {
    if (!flags.yes) await confirm(context, 'Remove one-time codes from your account?', 'nothing was removed');
    const session = await context.session();
    await session.call(removeTotp);
    const { passkeys } = await session.call(ownFactors);
    return { removed: true, passkeysLeft: passkeys.length };
  },
  note: ({ passkeysLeft }) =>
    passkeysLeft > 0
      ? 'One-time codes are removed. Passkeys and recovery codes stay.'
      : 'One-time codes and recovery codes are removed: the password is enough to sign in.',
});

export const renewCodes = command({
  summary: 'Print ten new recovery codes; older ones no longer work',
  examples: [{ command: 'factors recovery-codes', description: 'They are not shown again' }],
  run: async ({ context }) => (await context.session()).call(renewRecoveryCodes),
  text: ({ recoveryCodes }) => recoveryCodesText(recoveryCodes),
});

/** In the order of a rejected command; empty where the password is required. */
async function listOwn(context: CommandContext): Promise<SecondFactor[]> {
  const { totp, passkeys, recoveryCodesLeft } = await (await context.session()).call(ownFactors);
  const held = { totp: totp !== null, passkey: passkeys.length > 0, 'recovery-code': recoveryCodesLeft > 0 };
  return secondFactors.filter(factor => held[factor]);
}

type Proof = BodyInput<typeof stepUp>['proof'];

async function getProof(context: CommandContext, code: string | undefined, fromStdin: boolean): Promise<Proof> {
  if (code !== undefined) return toProof(code);
  const factors = fromStdin ? [] : await listOwn(context);
  if (factors.length > 0) return askSecondFactor(context.prompter, factors);
  return { kind: 'password', password: await getPassword(context, fromStdin) };
}

export const stepUpCommand = command({
  summary: 'Confirm your identity again, for commands that need it',
  description:
    'Role changes, key rotation, truncation of the audit log and similar commands need an identity confirmation within the last ten minutes. At a terminal they ask for it themselves; a script runs this command first.',
  examples: [
    { command: 'step-up', description: 'Be asked for the code or the password' },
    { command: 'step-up --password-stdin < secret.txt', description: 'From a script, without a second factor' },
    { command: 'step-up --sso', description: 'Sign in again at the provider, in the browser of this machine' },
  ],
  flags: {
    code: string({ helpValue: '<code>', summary: 'A one-time code or a recovery code.' }),
    ...passwordFlags,
    sso: boolean({
      summary: 'Sign in again at the provider where this session began.',
      exclusive: ['code', 'password-stdin'],
    }),
  },
  async run({ flags, context }) {
    if (flags.sso) return signInAgain(await context.session());
    const proof = await getProof(context, flags.code, flags['password-stdin']);
    return (await context.session()).call(stepUp, { body: { proof } });
  },
  note: ({ freshUntil }) => `Good until ${toMinute(freshUntil)} UTC.`,
});
