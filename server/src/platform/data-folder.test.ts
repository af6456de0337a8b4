import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { protectDataFolder } from './data-folder.ts'
import { createLog } from './log.ts'

const log = createLog({ level: 'silent' })
let parent: string
let folder: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'portico-folder-'))
  folder = join(parent, 'data')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777

test('a new data folder is accessible only to its owner', async () => {
  await protectDataFolder(folder, log)
  expect(await modeOf(folder)).toBe(0o700)
})

test('a data folder of an earlier release is made accessible only to its owner', async () => {
  await mkdir(join(folder, 'files'), { recursive: true })
  await chmod(folder, 0o755)
  await protectDataFolder(folder, log)
  expect(await modeOf(folder)).toBe(0o700)
})

test('a folder with other files, or shared by all users, keeps its mode', async () => {
  await mkdir(folder)
  await writeFile(join(folder, 'letter.txt'), '')
  await chmod(folder, 0o755)
  await protectDataFolder(folder, log)
  expect(await modeOf(folder)).toBe(0o755)
  await writeFile(join(folder, 'secret-key'), '')
  await chmod(folder, 0o1777)
  await protectDataFolder(folder, log)
  expect(await modeOf(folder)).toBe(0o1777)
})
