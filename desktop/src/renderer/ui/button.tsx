// Button with a text, and an icon before it where one helps.
import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** Empty for the main action. */
export type ButtonVariant = 'plain' | 'bare' | 'danger' | '';

type ButtonProps = Omit<ComponentProps<'button'>, 'children' | 'className'> & {
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of?: string | undefined;
  readonly variant?: ButtonVariant | undefined;
  readonly icon?: IconName;
};

export const Button = ({ label, of, variant, icon, ...more }: ButtonProps) => (
  <button
    type="button"
    className={variant || undefined}
    aria-label={of === undefined ? undefined : `${label}: ${of}`}
    {...more}
  >
    {icon && <Icon name={icon} />}
    {icon && ' '}
    {label}
  </button>
);
