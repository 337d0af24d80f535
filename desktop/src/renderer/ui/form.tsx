import type { ReactNode } from 'react';

type FormProps = { readonly onSend: () => void; readonly className?: string; readonly children: ReactNode };

/** What it holds is sent by us and not by the browser. */
export const Form = ({ onSend, className = 'form', children }: FormProps) => (
  <form
    className={className}
    onSubmit={event => {
      event.preventDefault();
      onSend();
    }}
  >
    {children}
  </form>
);
