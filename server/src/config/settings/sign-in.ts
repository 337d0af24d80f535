// Settings of single sign-on, and whether the server's own passwords are accepted.
import { define, listOf, wholeNumber, yesOrNo } from '@recordproof/shared/settings/setting.ts';
import { providerList, rejectClientSecret } from '../sign-in-providers.ts';

export const signInSettings = {
  localSignIn: define(
    'accounts',
    'accounts.local-sign-in',
    yesOrNo.default(true),
    'sign in with passwords of this server; false: through the providers of sso.providers alone',
  ),
  ssoProviders: define(
    'accounts',
    'sso.providers',
    providerList.default([]),
    'OpenID Connect providers people may sign in through: a list, in the environment as JSON',
    { env: 'RECORDPROOF_SSO_PROVIDERS' },
  ),
  ssoClientSecrets: define(
    'accounts',
    'sso.client-secrets',
    listOf(rejectClientSecret).default([]),
    'client secrets at these providers: <id>:<secret>, percent-encoded, divided by commas',
    { env: 'RECORDPROOF_SSO_CLIENT_SECRETS', secret: true },
  ),
  ssoSessionHours: define(
    'accounts',
    'sso.session-hours',
    wholeNumber(1, 168).default(12),
    'how long a session lasts at most before the provider is asked again',
    { env: 'RECORDPROOF_SSO_SESSION_HOURS' },
  ),
};
