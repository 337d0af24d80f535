// Parts of the forms before sign-in: the frame, the way back, and the registration mode of the server.
import { getRegistration } from '@recordproof/shared/api/auth.ts';
import type { ReactNode } from 'react';
import { useBridge, useTexts } from '../../context.ts';
import { toHref, toTarget, useRoute } from '../../router.ts';
import { useLoad } from '../../ui/hooks.ts';

type Frame = { readonly title: string; readonly lead: string; readonly children: ReactNode };

export const AuthFrame = ({ title, lead, children }: Frame) => (
  <>
    <div>
      <h1>{title}</h1>
      <p>{lead}</p>
    </div>
    {children}
  </>
);

export const BackToSignIn = () => (
  <div className="links">
    <a href={toHref(toTarget(useRoute()))}>{useTexts().auth.toSignIn}</a>
  </div>
);

/** Null until it is known, and where an older server does not report it. */
export function useRegistration() {
  const { call } = useBridge();
  const { state } = useLoad('registration', signal => call(getRegistration, { signal }));
  return { isLoading: state.kind === 'loading', registration: state.kind === 'ready' ? state.value : null };
}
