import { ApiError } from '@recordproof/shared/api/errors.ts';
import { useState } from 'react';
import { useSocialSay } from '../../social-say.ts';
import { useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

const isWrongPassword = (error: unknown): boolean =>
  error instanceof ApiError && error.detail?.reason === 'PASSWORD_WRONG';

/** In front of a share that has a password. */
export function PasswordForm({ onSend }: { readonly onSend: (password: string) => Promise<unknown> }) {
  const { sharing } = useSay();
  const { opening: say } = useSocialSay();
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction(() => onSend(password));
  const isWrong = isWrongPassword(error);
  return (
    <div className="scroll">
      <Form onSend={run} className="stack form">
        <p className="quiet">{say.passwordLead}</p>
        <Field
          label={sharing.password}
          type="password"
          value={password}
          onText={setPassword}
          autoComplete="off"
          autoFocus
          required
          maxLength={64}
          aria-invalid={isWrong}
        />
        {isWrong ? (
          <p role="alert" className="problem">
            {say.wrongPassword}
          </p>
        ) : (
          <Problem error={error} />
        )}
        <div className="actions">
          <button type="submit" disabled={isBusy}>
            {say.show}
          </button>
        </div>
      </Form>
    </div>
  );
}
