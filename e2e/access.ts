import type { Identity, NewIdentity } from '@portico/contract/identities'
import type { NewGroup, NewPolicy } from '@portico/contract/policies'
import { type Account, type Person, portalUrl } from './portal.ts'

/** Creates objects for tests of the identity area; each function returns the new id. */
export type Access = {
  makePolicy: (name: string, actions: string[]) => Promise<string>
  /** Replaces the actions of a policy. */
  changePolicy: (id: string, policy: NewPolicy) => Promise<void>
  makeGroup: (name: string, policies: string[]) => Promise<string>
  makeIdentity: (email: string, groups: string[]) => Promise<string>
  /** Replaces the groups of an identity. */
  changeGroups: (email: string, groups: string[]) => Promise<void>
  removeIdentity: (email: string) => Promise<void>
}

/** Administers an account as a user; power admins create policies, groups and global identities. */
export async function accessOf({ email, password }: Person, account: Account): Promise<Access> {
  let token = ''
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(`${portalUrl()}/api/identity/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    // The caller claims the type of the response.
    return (reply.status === 204 ? null : await reply.json()) as T
  }
  token = (await ask<{ token: string }>('POST', '/login', { email, password })).token
  token = (await ask<{ token: string }>('GET', `/login/${account.id}`)).token
  const idOf = async (path: '/policies' | '/groups', name: string): Promise<string | undefined> =>
    (await ask<{ _id: string; name: string }[]>('GET', path)).find((item) => item.name === name)?._id
  const identityOf = async (address: string): Promise<string | undefined> =>
    (await ask<Identity[]>('GET', '/identities')).find(({ email }) => email === address)?._id
  const make = async (path: string, body: NewPolicy | NewGroup | NewIdentity): Promise<string> =>
    (await ask<{ _id: string }>('POST', path, body))._id
  return {
    // Global, so they may already exist when a spec is retried.
    makePolicy: async (name, actions) => (await idOf('/policies', name)) ?? make('/policies', { name, actions }),
    changePolicy: async (id, policy) => void (await ask('PUT', `/policies/${id}`, policy)),
    makeGroup: async (name, policies) => (await idOf('/groups', name)) ?? make('/groups', { name, policies }),
    makeIdentity: (address, groups) => make('/identities', { email: address, groups }),
    changeGroups: async (address, groups) => {
      const body: NewIdentity = { email: address, groups }
      await ask('PUT', `/identities/${await identityOf(address)}`, body)
    },
    removeIdentity: async (address) => void (await ask('DELETE', `/identities/${await identityOf(address)}`)),
  }
}
