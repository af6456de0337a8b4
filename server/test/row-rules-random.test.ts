import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { usesFullText } from '@portico/domain/pipeline/full-text'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { matches, type Stored } from '#test/oracles/naive-filter.ts'
import { rounded, runPipeline } from '#test/oracles/naive-pipeline.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import { drawMatch, drawPipeline, drawsOf, fieldTypes, timeZone } from '#test/oracles/random-filters.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import { startWithDrawn } from '#test/resources/stored-contacts.ts'

// FILTER_SEED=… repeats a run.
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000)
const contactCount = 800
const ruleCount = 6
const questionsOfRule = 40

let portal: TestPortal
let owner: Member
let contacts: Stored[]

beforeAll(async () => {
  ;({ portal, member: owner, contacts } = await startWithDrawn(drawsOf(seed), contactCount))
}, 120_000)
afterAll(() => portal.close())

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const path = '/contact-service/v1/offers'

/** Draws rules that let some contacts through, but not nearly all. */
function drawRules() {
  const rules: { stages: Record<string, unknown>[]; visible: Stored[] }[] = []
  for (let at = 0; rules.length < ruleCount; at++) {
    const stages = [{ $match: drawMatch(drawsOf(seed * 1000 + at)) }]
    const visible = contacts.filter((contact) => matches(contact, stages[0]?.$match, fieldTypes, timeZone))
    const share = visible.length / contacts.length
    if (share > 0.05 && share < 0.8 && !usesFullText(parsePipeline(stages))) rules.push({ stages, visible })
  }
  return rules
}

test(
  `any filter and pipeline reads only contacts that pass a rule (FILTER_SEED=${seed})`,
  { timeout: 240_000 },
  async () => {
    let found = 0
    for (const [at, { stages: rule, visible }] of drawRules().entries()) {
      const member = await restrictedMember(portal, owner.account, rule)
      const ask = async (query: string) => (await member.get(`${path}?${query}`)).body
      for (let question = 0; question < questionsOfRule; question++) {
        const draw = drawsOf(seed * 100_000 + at * 1000 + question)
        const match = drawMatch(draw)
        const expected = visible.filter((contact) => matches(contact, match, fieldTypes, timeZone)).map(({ id }) => id)
        const find = `find=${json([{ $match: match }])}`
        const page = await ask(`${find}&select=_id&sort=${json({ _id: 1 })}&limit=1000`)
        expect({ rule, match, page }).toEqual({ rule, match, page: expected.map((_id) => ({ _id })) })
        expect(await ask(`${find}&count=`)).toEqual({ count: expected.length })
        const stages = drawPipeline(draw)
        const rows = (await ask(`aggregate=${json(stages)}&limit=1000`)) as Record<string, unknown>[]
        const wanted = runPipeline(visible, fieldTypes, timeZone, stages).slice(0, 1000)
        expect({ rule, stages, rows: rows.map(rounded) }).toEqual({ rule, stages, rows: wanted.map(rounded) })
        if (expected.length > 0) found++
      }
      const { count } = (await ask(`limit=7&withCount=&sort=${json({ Age: -1 })}`)) as { count: number | null }
      // Null on a machine so busy that counting takes far longer than the page.
      expect([visible.length, null]).toContain(count)
    }
    expect(found).toBeGreaterThan(ruleCount * 5)
  },
)
