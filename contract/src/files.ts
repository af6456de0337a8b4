import { z } from 'zod'
import { lowerAscii } from '@portico/domain/names'
import type { Route } from './route.ts'
import { normalizeText } from '@portico/domain/unicode'

/** Extensions of workbooks that can be imported. */
export const workbookExtensions = ['.xlsx', '.xlsm'] as const

/** Extensions of files that can be imported. */
export const uploadExtensions = ['.csv', '.txt', '.zip', '.gz', ...workbookExtensions] as const

/** Extensions of workbooks that cannot be imported. */
const otherWorkbooks = ['.xls', '.xlsb', '.ods', '.numbers']

/** Returns whether a file's name has one of these extensions, in any letter case. */
export const hasEnding = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => lowerAscii(name).endsWith(ending))

/** In Unicode characters, which makes letters of every script count the same. */
export const fileNameMaxLength = 200

/** A file with one of these names cannot be saved on Windows, with any extension. */
const windowsDevice = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/** Returns the problem with the name of an upload and its fix, as a sentence for users; null if there is none. */
export function fileNameProblem(name: string): string | null {
  if (name.trim() === '') return 'Give the file a name.'
  if (Array.from(name).length > fileNameMaxLength) return `Shorten the name to ${fileNameMaxLength} characters.`
  if (/[/\\]/.test(name)) return 'Use the name alone, without a path: no / and no \\.'
  // Half of a surrogate pair is not a character: neither a link nor the database can hold it.
  if (/\p{Cc}|\p{Cs}/u.test(name)) return 'Take the control characters out of the name.'
  if (name.startsWith('.')) return 'Start the name with something other than a dot.'
  if (name.includes('..')) return 'Use no more than one dot in a row.'
  const device = windowsDevice.exec(name)?.[1]
  if (device) return `Choose another name: "${device}" is reserved on Windows.`
  if (hasEnding(name, otherWorkbooks)) return 'Save the workbook as .xlsx or CSV and choose that file.'
  if (!hasEnding(name, uploadExtensions)) {
    return `End the name with ${uploadExtensions.slice(0, -1).join(', ')} or ${uploadExtensions.at(-1)}.`
  }
  return null
}

/** The name by which people know an upload. Composed and decomposed letters count as the same (Unicode NFC). */
export const UploadFileName = z
  .string()
  .superRefine((name, context) => {
    const message = fileNameProblem(name)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
  .transform((name) => normalizeText(name, 'NFC'))

// The portal creates and signs both; a link in which they are changed is refused.
const fileParams = z.object({ account: z.string(), kind: z.string(), name: z.string() })
const LinkQuery = z.object({
  /** Second from which the link no longer works, counted from 1970. */
  expires: z.string(),
  /** Media type of the response. */
  type: z.string().optional(),
  /** Name under which the browser saves the file. */
  saveAs: z.string().optional(),
  /** Creator of the link, and the right that they must hold while it is used. */
  grant: z.string().max(20_000).optional(),
  signature: z.string(),
})

export const filesApi = {
  /**
   * The reply's `url` takes the bytes by PUT, once, and expires. It may be relative to the host of the request.
   * `folder` and `isPublic` are accepted for older clients and have no effect.
   */
  createUpload: {
    method: 'GET',
    path: '/contact-service/v1/uploads/:fileName',
    summary: 'Create a signed link for an upload by PUT',
    access: 'contact-service::uploads::get',
    // The link is for one file, lasts an hour, and ends when its creator loses the right.
    stores: false,
    params: z.object({ fileName: UploadFileName }),
    query: z.object({
      /** Media type of the file, as the browser knows it; empty if unknown. */
      type: z
        .string()
        .max(200)
        .regex(/^[\x20-\x7e]*$/, 'Use a media type, such as text/csv.')
        .optional(),
      folder: z.string().max(200).optional(),
      isPublic: z.string().optional(),
    }),
    reply: z.object({ url: z.string() }),
    errors: ['limit_reached'],
  },
  /** Accepts any size and any media type, and stores the bytes as sent. */
  putFile: {
    method: 'PUT',
    path: '/files/:account/:kind/:name',
    summary: 'Upload bytes once, through a signed link',
    access: 'signed-url',
    stores: false,
    params: fileParams,
    query: LinkQuery,
    body: z.file(),
    reply: z.object({}),
    errors: [
      'invalid_input',
      'link_invalid',
      'upload_too_slow',
      'storage_full',
      'too_large',
      'too_many_requests',
      'unavailable',
    ],
  },
  /** Always a download (`content-disposition: attachment`); supports a single byte range. */
  getFile: {
    method: 'GET',
    path: '/files/:account/:kind/:name',
    summary: 'Download a file through a signed link',
    access: 'signed-url',
    params: fileParams,
    query: LinkQuery,
    reply: z.file(),
    errors: ['invalid_input', 'link_invalid', 'not_found'],
  },
} as const satisfies Record<string, Route>
