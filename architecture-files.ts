import { globSync, readFileSync } from 'node:fs'

// How the architecture tests look at the repository.

export const read = (file: string): string => readFileSync(file, 'utf8')

/** Excludes dependencies and all generated files. */
export const isOurs = (file: string): boolean => !/(^|\/)(node_modules|dist|data|test-results)(\/|$)/.test(file)

/** Returns files and folders of the repository that match a pattern, sorted. */
export const find = (pattern: string): string[] =>
  globSync(pattern, { exclude: ['**/node_modules', '**/dist'] })
    .filter(isOurs)
    .toSorted()

export const isTest = (file: string): boolean => /\.(test|spec)\.tsx?$/.test(file)

export const withoutComments = (code: string): string => code.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

/** The sources of the server's modules and their subfolders, without tests. */
export const moduleFiles = find('server/src/modules/*/**/*.ts').filter((file) => !isTest(file))

/** Returns the module that a file belongs to; null outside of modules. */
export const moduleOf = (file: string): string | null => /^server\/src\/modules\/([\w-]+)\//.exec(file)?.[1] ?? null
