import { z } from 'zod'
import { canonicalHost, steadyHost } from './hosts.ts'
import { messages } from './messages.ts'
import { readBy } from './read-text.ts'

// The targets of file uploads, in the one form in which they are checked, stored, shown and used.

/** Letters, digits, dots and dashes; an IPv6 address may also have colons at its ends. */
const writtenHost = /^(?:[a-z\d](?:[a-z\d.:-]*[a-z\d])?|[\da-f:][\da-f.:]*)$/i

/** Returns why a text is not a server; null if it is. */
export const sftpHostProblem = (text: string): string | null =>
  writtenHost.test(text) && steadyHost(text) !== null ? null : messages.invalid

export const canonicalSftpHost = (text: string): string => (sftpHostProblem(text) === null ? canonicalHost(text) : text)

const backslash = 'Write folders with /, not with \\.'
const onlyDots = 'A folder of dots only is .. or nothing.'
const blankEnd = 'The folder must not begin or end with a blank.'

/** Returns why a text is not a folder of a server; null if it is. */
export function sftpFolderProblem(text: string): string | null {
  if (text.includes('\\')) return backslash
  if (/\p{Cc}/u.test(text)) return messages.invalid
  const isOdd = (name: string): boolean => /^[\s.]+$/.test(name) && name !== '.' && name !== '..'
  return text.split('/').some(isOdd) ? onlyDots : null
}

/**
 * Returns a folder without `.`, empty names and a final slash, and without `..` after a name, which servers would
 * follow to a different folder than the one at the start of the text. Other texts are returned unchanged.
 */
export function canonicalSftpFolder(text: string): string {
  if (sftpFolderProblem(text) !== null) return text
  const isAbsolute = text.startsWith('/')
  const names: string[] = []
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue
    const above = names.at(-1)
    if (name !== '..') names.push(name)
    else if (above !== undefined && above !== '..') names.pop()
    else if (!isAbsolute) names.push(name)
  }
  return `${isAbsolute ? '/' : ''}${names.join('/')}`
}

/** A folder with a blank at an end would be trimmed to a different folder when it is read again. */
function blankEndProblem(text: string): string | null {
  const folder = canonicalSftpFolder(text)
  return folder === folder.trim() ? null : blankEnd
}

export const SftpHost = readBy(
  z
    .string()
    .trim()
    .min(1, messages.required)
    .max(255, { abort: true })
    .superRefine((text, context) => {
      const message = text === '' ? null : sftpHostProblem(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })
    .overwrite(canonicalSftpHost),
  canonicalSftpHost,
)

export const SftpFolder = readBy(
  z
    .string()
    .trim()
    .max(500)
    .superRefine((text, context) => {
      const message = sftpFolderProblem(text) ?? blankEndProblem(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })
    .overwrite(canonicalSftpFolder),
  canonicalSftpFolder,
)

/** Reports go into a folder of the user, with names that every system accepts (specification 4 §9). */
export const reportFolderProblem = (text: string): string | null =>
  /^(?!\/)[^?*"<>:|]*(?<!\/)$/.test(text) ? (sftpFolderProblem(text) ?? blankEndProblem(text)) : messages.invalid

export const canonicalReportFolder = (text: string): string =>
  reportFolderProblem(text) === null ? canonicalSftpFolder(text) : text
