// Parts of the forms about factors: the app to be set up, the field for a code, the recovery codes.
import type { SecondFactorProof } from '@recordproof/shared/api/factor-proofs.ts';
import type { NewTotp } from '@recordproof/shared/api/one-time-codes.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/buttons.tsx';
import { Field } from '../../ui/form.tsx';
import { QrCode } from '../shares/qr-code.tsx';

type CodeFieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onText: (text: string) => void;
};

export const CodeField = (props: CodeFieldProps) => (
  <Field
    {...props}
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={40}
    required
    autoFocus
  />
);

/** Six digits are a one-time code; anything else is taken for a recovery code. */
export function toProof(text: string): SecondFactorProof {
  const code = text.replaceAll(/[\s-]+/g, '').toLowerCase();
  return { kind: /^[0-9]{6}$/.test(code) ? 'totp' : 'recovery-code', code };
}

export function AppToSetUp({ secret, uri }: NewTotp) {
  const texts = useWords(securityWords);
  return (
    <>
      <p>{texts.scan}</p>
      <QrCode text={uri} label={texts.qr} />
      <dl className="facts">
        <dt>{texts.secret}</dt>
        <dd>
          <code className="break">{secret}</code> <CopyButton text={secret} label={texts.secret} />
        </dd>
      </dl>
    </>
  );
}

type Codes = { readonly codes: readonly string[]; readonly onKept: () => void; readonly isBusy?: boolean };

export function RecoveryCodes({ codes, onKept, isBusy = false }: Codes) {
  const texts = useWords(securityWords);
  return (
    <div className="form">
      <p>{texts.codesText}</p>
      <ul className="codes" aria-label={texts.codesTitle}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <Button label={texts.kept} disabled={isBusy} onClick={onKept} />
        <CopyButton text={codes.join('\n')} label={texts.codesTitle} />
      </div>
    </div>
  );
}
