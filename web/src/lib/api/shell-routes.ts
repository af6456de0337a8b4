import type { signInApi } from '@portico/contract/sign-in'
import type { RouteLine } from './api.ts'

type IdentityApi = typeof signInApi
type Line<Name extends keyof IdentityApi> = RouteLine<IdentityApi[Name]>

/**
 * The calls of the signed-in shell, as the contract has them: a mismatch does not compile. Importing the contract's
 * table instead would add its schemas, and the schema library, to every first load.
 */
export const shellRoutes: {
  [
    Name in 'getDeployment' | 'login' | 'chooseAccount' | 'getUser' | 'listModules' | 'logout' | 'listAccounts'
  ]: Line<Name>
} = {
  getDeployment: { method: 'GET', path: '/identity/v1/deployment', access: 'public' },
  login: { method: 'POST', path: '/identity/v1/login', access: 'public' },
  chooseAccount: { method: 'GET', path: '/identity/v1/login/:account', access: 'person' },
  getUser: { method: 'GET', path: '/identity/v1/user', access: 'account' },
  listModules: { method: 'GET', path: '/identity/v1/modules', access: 'person' },
  logout: { method: 'POST', path: '/identity/v1/logout', access: 'person' },
  listAccounts: { method: 'GET', path: '/identity/v1/accounts', access: 'person' },
}
