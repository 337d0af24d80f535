import { resetPassword } from '@recordproof/shared/api/auth.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { BackToSignIn, DoorFrame } from './door-frame.tsx';
import { type Mailed, MailedCode } from './mailed-code.tsx';

export function Reset({ onDone }: { readonly onDone: () => void }) {
  const say = useSay().auth;
  const { call } = useBridge();
  const set = async (mailed: Mailed) => {
    await call(resetPassword, { body: mailed });
    onDone();
  };
  return (
    <DoorFrame title={say.resetTitle} lead={say.resetLead}>
      <MailedCode type="reset" submit={say.setPassword} onSubmit={set} />
      <BackToSignIn />
    </DoorFrame>
  );
}
