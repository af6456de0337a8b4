import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { filesApi } from '@portico/contract/files'
import { AppError } from '#platform/app-error.ts'
import { apiPrefix } from '#platform/http/serving.ts'
import { derivedKeys, type KeyRing } from '#platform/keys/key-ring.ts'
import { type LinkGrant, type LinkOptions, maxLinkSeconds } from '#platform/storage.ts'
import { requireStorageKey } from './storage-keys.ts'

type Method = 'GET' | 'PUT'

/** The file that a link with a valid signature gives access to. */
type OpenedLink = {
  key: string
  contentType: string | undefined
  downloadName: string | undefined
  /** Undefined for links of earlier releases, and of files that no user requested. */
  grant: LinkGrant | undefined
}

/** Links to the portal's own file routes. The signature covers all of their parts. */
export type SignedLinks = {
  make: (method: Method, key: string, options: LinkOptions) => string
  /** @throws link_invalid for a link that was changed, has expired or was made for another method */
  open: (method: Method, params: unknown, query: unknown) => OpenedLink
}

export function signedLinks(config: { secretKey: string | KeyRing; publicUrl: string }): SignedLinks {
  const derive = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, '', 'portico signed file links', 32))
  const keys = derivedKeys(config.secretKey, derive)
  const sign = (
    key: Uint8Array,
    method: Method,
    link: Omit<OpenedLink, 'grant'>,
    expires: string,
    grant: string | undefined,
  ): Buffer => {
    // JSON separates the parts unambiguously, whatever characters the names contain.
    const file = [method, link.key, expires, link.contentType ?? null, link.downloadName ?? null]
    const signedParts = grant === undefined ? file : [...file, grant]
    return createHmac('sha256', key).update(JSON.stringify(signedParts)).digest()
  }
  return {
    make(method, key, { expiresInSeconds, contentType, downloadName, absolute, grant: granted }) {
      if (!(expiresInSeconds > 0 && expiresInSeconds <= maxLinkSeconds)) {
        throw new Error(`a link cannot live for ${expiresInSeconds} seconds`)
      }
      const expires = String(Math.floor(Date.now() / 1000 + expiresInSeconds))
      const link = { key: requireStorageKey(key), contentType, downloadName: downloadName?.toWellFormed() }
      const query = new URLSearchParams({ expires })
      if (contentType !== undefined) query.set('type', contentType)
      if (link.downloadName !== undefined) query.set('saveAs', link.downloadName)
      const grant = granted && Buffer.from(JSON.stringify(granted)).toString('base64url')
      if (grant !== undefined) query.set('grant', grant)
      query.set('signature', sign(keys[0], method, link, expires, grant).toString('base64url'))
      const origin = absolute ? config.publicUrl : ''
      return `${origin}${apiPrefix}/files/${key}?${query.toString()}`
    },
    open(method, params, query) {
      const path = filesApi.getFile.params.safeParse(params)
      const given = filesApi.getFile.query.safeParse(query)
      if (!path.success || !given.success) throw new AppError('link_invalid')
      const { account, kind, name } = path.data
      const { expires, type, saveAs, grant, signature } = given.data
      const link = { key: `${account}/${kind}/${name}`, contentType: type, downloadName: saveAs }
      const givenBytes = Buffer.from(signature, 'base64url')
      const isSigned = keys.some((key) => isSame(sign(key, method, link, expires, grant), givenBytes))
      if (!isSigned || Number(expires) * 1000 <= Date.now()) throw new AppError('link_invalid')
      return { ...link, grant: grant === undefined ? undefined : grantIn(grant) }
    },
  }
}

/** The text is trusted: its valid signature proves that `make` wrote it. */
const grantIn = (text: string): LinkGrant => JSON.parse(Buffer.from(text, 'base64url').toString()) as LinkGrant

function isSame(wanted: Buffer, given: Buffer): boolean {
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}
