import type { Membership, MembershipNode } from '@portico/contract/segments'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { matches, type Stored } from '#test/oracles/naive-filter.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import { drawMatch, drawsOf, fieldTypes, timeZone } from '#test/oracles/random-filters.ts'
import { rounds } from '#test/processes/rounds.ts'
import { startWithDrawn } from '#test/resources/stored-contacts.ts'

// FILTER_SEED=… repeats a run.
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000)
const contactCount = 6
const segmentCount = rounds(40, 300)

let portal: TestPortal
let member: Member
let contacts: Stored[]

beforeAll(async () => {
  ;({ portal, member, contacts } = await startWithDrawn(drawsOf(seed), contactCount))
}, 120_000)
afterAll(() => portal.close())

async function save(stages: object[], name: string): Promise<string> {
  const answer = await member.post('/contact-service/v1/rdls', { name, aggregateQuery: JSON.stringify(stages) })
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<{ _id: string }>()._id
}

async function found(id: string): Promise<string[]> {
  const find = encodeURIComponent(JSON.stringify([{ $predefined: id }]))
  const answer = await member.get(`/contact-service/v1/offers?find=${find}&select=_id`)
  return answer.json<{ _id: string }[]>().map(({ _id }) => _id)
}

/** The verdict of a part as those within it give it. */
function composed(node: MembershipNode): boolean | null {
  if (!('of' in node)) return node.isMet
  const of = node.of.map(composed)
  expect(node.more).toBe(0)
  if (node.kind === 'all') return of.every((one) => one === true)
  return of.includes(true) === (node.kind === 'any')
}

test(
  `explanations of ${segmentCount} segments agree with a search and with their parts (FILTER_SEED=${seed})`,
  { timeout: 120_000 },
  async () => {
    let isMixed = 0
    for (let at = 0; at < segmentCount; at++) {
      const draw = drawsOf(seed * 10_000 + at)
      const [first, second] = [drawMatch(draw), drawMatch(draw)]
      const inner = await save([{ $match: second }], `Inner ${at}`)
      const stages = [{ $match: first }, ...(draw.chance(0.3) ? [{ $predefined: inner }] : [])]
      const id = await save(stages, `Segment ${at}`)
      const members = await found(id)
      for (const contact of contacts) {
        const answer = await member.get(`/contact-service/v1/segments/${id}/contacts/${contact.id}/why`)
        const { isIn, conditions } = answer.json<Membership>()
        const isNamedMet = stages.length === 1 || matches(contact, second, fieldTypes, timeZone)
        const expected = matches(contact, first, fieldTypes, timeZone) && isNamedMet
        const described = { stages, second, contact }
        expect({ described, isIn }).toEqual({ described, isIn: expected })
        expect({ described, isIn }).toEqual({ described, isIn: members.includes(contact.id) })
        expect({ described, isIn: conditions.every((node) => composed(node)) }).toEqual({ described, isIn })
        for (const node of conditions)
          expect({ described, isMet: composed(node) }).toEqual({ described, isMet: node.isMet })
      }
      if (members.length > 0 && members.length < contactCount) isMixed++
    }
    // Some 40% are, on average; few draws have less than half of that.
    expect(isMixed).toBeGreaterThan(segmentCount / 10)
  },
)
