// Settings of single sign-on, and whether the server's own passwords are accepted.
import { define, listOf, wholeNumber, yesOrNo } from '@recordproof/shared/settings/setting.ts';
import { providerList, rejectClientSecret } from '../sign-in-providers.ts';

export const signInSettings = {
  localSignIn: define(
    'accounts',
    'accounts.local-sign-in',
    yesOrNo.default(true),
    'allow sign-in with passwords of this server; false: only through the providers in sso.providers',
  ),
  ssoProviders: define(
    'accounts',
    'sso.providers',
    providerList.default([]),
    'OpenID Connect providers for single sign-on: a list, in the environment as JSON',
    { env: 'RECORDPROOF_SSO_PROVIDERS' },
  ),
  ssoClientSecrets: define(
    'accounts',
    'sso.client-secrets',
    listOf(rejectClientSecret).default([]),
    'client secrets of these providers: <id>:<secret>, percent-encoded, separated by commas',
    { env: 'RECORDPROOF_SSO_CLIENT_SECRETS', secret: true },
  ),
  ssoSessionHours: define(
    'accounts',
    'sso.session-hours',
    wholeNumber(1, 168).default(12),
    'maximum lifetime of a single sign-on session before the provider is asked again',
    { env: 'RECORDPROOF_SSO_SESSION_HOURS' },
  ),
};
