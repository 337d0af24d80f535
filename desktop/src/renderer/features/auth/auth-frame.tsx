// Frame of the forms before sign-in.
import type { ReactNode } from 'react';
import { useTexts } from '../../context.ts';
import { toHref, toTarget, useRoute } from '../../router.ts';

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
