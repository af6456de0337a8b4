import { describe, expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Filters are read in one place (ADR 0100): other code that parses a stage or a group would sooner or later differ.

const spelled = /\$(?:match|group|unwind)\b/

/** Sources that may spell stages, by file or folder, and why. */
const reasons: Record<string, string> = {
  'domain/src/pipeline/': 'Reads and writes them.',
  'server/src/modules/filters/': 'Compiles them to SQL, and names what is wrong in the words of the sender.',
  'server/src/modules/access/condition-': 'Judges samples of requests, and knows which stages choose contacts.',
  'contract/src/filter-stages.ts': 'Describes them to clients of the API.',
  'contract/src/deletes.ts': 'Tells clients of the API which stages a delete takes.',
  'server/src/modules/demo/': 'Fills the demo with what a client of the API would send.',
}

const sources = find('{contract,domain,page-script,server,web}/src/**/*.{ts,tsx}').filter((file) => !isTest(file))

const spells = (code: string): boolean => spelled.test(withoutComments(code))

const isAllowed = (file: string): boolean => Object.keys(reasons).some((place) => file.startsWith(place))

describe('stage names appear only where stages are read, written or compiled', () => {
  test('detects a stage in code but not in a comment', () => {
    expect(spells("const stages = [{ $match: { City: 'Oslo' } }]")).toBe(true)
    expect(spells("stage['$group']")).toBe(true)
    expect(spells("'$unwind' in stage")).toBe(true)
    expect(spells('/** A row for each event: `$unwind`. */\n// or $group')).toBe(false)
    expect(spells('const matches = `${match}`')).toBe(false)
  })

  test('finds them in no other source', () => {
    expect(sources.filter((file) => spells(read(file)) && !isAllowed(file))).toEqual([])
  })

  test('every reason is needed', () => {
    const spelling = sources.filter((file) => spells(read(file)))
    expect(Object.keys(reasons).filter((place) => !spelling.some((file) => file.startsWith(place)))).toEqual([])
  })
})

const ofAddress = 'Reads an address.'
const ofServer = 'Reads what the server has stored.'

/** Sources of the web app that parse JSON of stages, and why; all others take the stages as a value. */
const parsers: Record<string, string> = {
  'web/src/domain/dashboards/cell-stages.ts': ofServer,
  'web/src/domain/dashboards/cells/group-columns.ts': ofServer,
  'web/src/domain/filters/filter-queries.ts': ofServer,
  'web/src/domain/results/query-in-words.tsx': ofServer,
  'web/src/features/contacts/search-url.ts': ofAddress,
  'web/src/features/dashboards/configuration/filter-field.tsx': ofServer,
  'web/src/features/dashboards/configuration/kpi-figure.ts': ofServer,
  'web/src/features/deletes/deletes-page.tsx': ofServer,
  'web/src/features/identities/identity-dialog.tsx': ofServer,
  'web/src/features/identities/row-rule-field.tsx': ofServer,
  'web/src/features/identities/row-rule-text.tsx': ofServer,
  'web/src/features/imports/import-filter.ts': ofAddress,
  'web/src/features/segments/segment-people.tsx': ofServer,
}

const parses = (code: string): boolean =>
  /\b(?:parsePipeline|parsePipelineText|readPipeline)\(/.test(withoutComments(code))

describe('the web app parses stages only at its boundaries', () => {
  test('detects a parser in code', () => {
    expect(parses('const kind = readSearchKind(parsePipeline(stages))')).toBe(true)
    expect(parses('const stages = parsePipelineText(text) ?? []')).toBe(true)
    expect(parses('const text = formatPipeline(stages)')).toBe(false)
  })

  test('finds no parser elsewhere', () => {
    const web = sources.filter((file) => file.startsWith('web/'))
    expect(web.filter((file) => parses(read(file)))).toEqual(Object.keys(parsers))
  })
})
