import { z } from 'zod'
import { lowerAscii } from '@portico/domain/names'
import type { Route } from './route.ts'
import { normalizeText } from '@portico/domain/unicode'

/** Endings of workbooks that can be imported. */
export const workbookExtensions = ['.xlsx', '.xlsm'] as const

/** Endings of files that can be imported. */
export const uploadExtensions = ['.csv', '.txt', '.zip', '.gz', ...workbookExtensions] as const

/** Endings of workbooks that cannot. */
const otherWorkbooks = ['.xls', '.xlsb', '.ods', '.numbers']

/** Whether a file's name ends in one of these, in any letter case. */
export const hasEnding = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => lowerAscii(name).endsWith(ending))

/** In Unicode characters, so that letters of every script count the same. */
export const fileNameMaxLength = 200

/** A file under one of these names cannot be saved on Windows, whatever its ending. */
const windowsDevice = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/** Problem with the name of an upload and its fix, as a sentence for users; null without one. */
export function fileNameProblem(name: string): string | null {
  if (name.trim() === '') return 'Give the file a name.'
  if (Array.from(name).length > fileNameMaxLength) return `Shorten the name to ${fileNameMaxLength} characters.`
  if (/[/\\]/.test(name)) return 'Use the name alone, without a path: no / and no \\.'
  // Half of a surrogate pair is no character: neither a link nor the database can hold it.
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

/** The name people know an upload by. Composed and decomposed letters count as the same (Unicode NFC). */
export const UploadFileName = z
  .string()
  .superRefine((name, context) => {
    const message = fileNameProblem(name)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
  .transform((name) => normalizeText(name, 'NFC'))

// Both are made and signed by the portal; a link in which they are changed is refused.
const fileParams = z.object({ account: z.string(), kind: z.string(), name: z.string() })
const LinkQuery = z.object({
  /** Second from which the link no longer works, counted from 1970. */
  expires: z.string(),
  /** Media type under which the file is served. */
  type: z.string().optional(),
  /** Name under which the browser saves the file. */
  saveAs: z.string().optional(),
  /** Creator of the link, and the right that they need as long as it works. */
  grant: z.string().max(20_000).optional(),
  signature: z.string(),
})

export const filesApi = {
  /**
   * The answer's `url` takes the bytes by PUT, once, and expires. It may be relative to the host that was asked.
   * `folder` and `isPublic` are accepted for older clients and have no effect.
   */
  createUpload: {
    method: 'GET',
    path: '/contact-service/v1/uploads/:fileName',
    summary: 'Create a signed link for an upload by PUT',
    access: 'contact-service::uploads::get',
    // The link waits for one file, for an hour, and ends with the right of its creator.
    stores: false,
    params: z.object({ fileName: UploadFileName }),
    query: z.object({
      /** Media type of the file, as the browser knows it; empty where it knows none. */
      type: z
        .string()
        .max(200)
        .regex(/^[\x20-\x7e]*$/, 'Use a media type, such as text/csv.')
        .optional(),
      folder: z.string().max(200).optional(),
      isPublic: z.string().optional(),
    }),
    reply: z.object({ url: z.string() }),
  },
  /** Takes any size and any media type, and keeps the bytes as they are sent. */
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
  /** Always a download (`content-disposition: attachment`); a single byte range may be asked for. */
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
