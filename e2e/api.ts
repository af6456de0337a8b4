import type { Export } from '@portico/contract/exports'
import type { Import, NewEventImport, NewImport } from '@portico/contract/imports'
import { type Account, expect, type Person, portalUrl } from './portal.ts'

/** Client of the API, to prepare tests. Paths are relative to `/api`. */
export type Client = {
  /** Token of the session in the account. */
  token: string
  get: <T>(path: string) => Promise<T>
  post: <T>(path: string, body: unknown) => Promise<T>
  put: <T>(path: string, body: unknown) => Promise<T>
  remove: <T>(path: string, body: unknown) => Promise<T>
  /** Returns the status only. */
  statusOf: (path: string) => Promise<number>
  /** Uploads a file and submits its import. */
  submitImport: (name: string, content: string, changes?: Partial<NewImport>) => Promise<Import>
  /** Exports every contact and waits for the file. */
  makeExport: (name: string, exportFields: string[]) => Promise<Export>
  /** Polls until the response meets the condition. */
  until: <T>(path: string, isWanted: (answer: T) => boolean) => Promise<T>
  /** Submits an import, and waits until it is completed. */
  importFile: (name: string, content: string, changes?: Partial<NewImport>) => Promise<Import>
  /** Imports events of contacts, found by their column Email, and waits until it is completed. */
  importEvents: (name: string, content: string) => Promise<Import>
}

export async function apiOf({ email, password }: Person, account: Account): Promise<Client> {
  let token = ''
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${portalUrl()}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await send(method, path, body)
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    // The caller claims the type of the response.
    return (await reply.json()) as T
  }
  token = (await ask<{ token: string }>('POST', '/identity/v1/login', { email, password })).token
  token = (await ask<{ token: string }>('GET', `/identity/v1/login/${account.id}`)).token

  const sendFile = async (filePath: string, content: string): Promise<void> => {
    const upload = `/contact-service/v1/uploads/${encodeURIComponent(filePath)}?type=text/csv`
    const { url } = await ask<{ url: string }>('GET', upload)
    const sent = await fetch(new URL(url, portalUrl()), { method: 'PUT', body: content })
    if (!sent.ok) throw new Error(`PUT ${filePath}: ${sent.status} ${await sent.text()}`)
  }
  const submitImport = async (name: string, content: string, changes: Partial<NewImport> = {}): Promise<Import> => {
    const filePath = `${name}.csv`
    await sendFile(filePath, content)
    return ask('POST', '/contact-service/v1/imports', { ...plainImport, name, filePath, ...changes })
  }
  const get = <T>(path: string): Promise<T> => ask('GET', path)
  const until = async <T>(path: string, isWanted: (answer: T) => boolean): Promise<T> => {
    let answer = await get<T>(path)
    await expect
      .poll(async () => isWanted((answer = await get<T>(path))), { message: path, timeout: 60_000 })
      .toBe(true)
    return answer
  }
  const completed = ({ _id }: Import): Promise<Import> =>
    until(`/contact-service/v1/imports/${_id}`, ({ status }: Import) => status === 'completed')
  return {
    token,
    get,
    post: (path, body) => ask('POST', path, body),
    put: (path, body) => ask('PUT', path, body),
    remove: (path, body) => ask('DELETE', path, body),
    statusOf: async (path) => (await send('GET', path)).status,
    submitImport,
    importFile: async (name, content, changes) => completed(await submitImport(name, content, changes)),
    async importEvents(name, content) {
      const filePath = `${name}.csv`
      await sendFile(filePath, content)
      return completed(await ask('POST', '/contact-service/v1/imports', { ...plainEventImport, name, filePath }))
    },
    async makeExport(name, exportFields) {
      const body = { name, delimiter: 'csv', exportFields }
      const { _id } = await ask<Export>('POST', '/contact-service/v1/exports', body)
      return until(`/contact-service/v1/exports/${_id}`, ({ status }: Export) => status === 'completed')
    },
    until,
  }
}

const plainEventImport: Omit<NewEventImport, 'name' | 'filePath'> = {
  kind: 'events',
  fileDelimiter: 'comma',
  processBatchSize: 25,
  keyColumn: 'Email',
  keyField: 'Email',
}

const plainImport: Omit<NewImport, 'name' | 'filePath'> = {
  fileDelimiter: 'comma',
  processBatchSize: 25,
  generatePURL: false,
  purlGenerationScope: 'account',
  dedupHashMatching: false,
  typeCasting: true,
  exportOnImportCompletion: false,
}
