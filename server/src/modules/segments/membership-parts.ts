import { explainedConditions } from '@portico/contract/segments'
import { writeCondition } from '@portico/domain/pipeline/condition-json'
import type { Condition, Pipeline, Row, Term } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { flatten } from '@portico/domain/pipeline/terms'

/** A part of a segment that is explained by itself. `pipeline`: the search that finds who meets it. */
export type Part = { pipeline: Pipeline } & (
  | { kind: 'all' | 'any' | 'none'; of: Part[]; more: number }
  | { kind: 'segment'; id: string | null; name: string }
  | { kind: 'condition'; condition: Row; looksAt: { name: string; test: unknown } | null }
)

/** The stages of a segment, those of other segments under their names. */
export type NamedStages = ({ kind: 'match'; condition: Condition } | NamedSegment)[]
type NamedSegment = Extract<Part, { kind: 'segment' }>

/** The conditions of a segment, all of which must be met, and how many are left out. */
export function partsOf(stages: NamedStages): { parts: Part[]; more: number } {
  const room = { parts: explainedConditions.most, letters: explainedConditions.letters }
  const all = stages.flatMap((stage): (NamedSegment | Term)[] =>
    stage.kind === 'segment' ? [stage] : flatten(stage.condition),
  )
  const parts = takeWhileRoom(all, room, (each) =>
    each.kind === 'segment' ? (fits(each.pipeline, room) ? each : null) : termPart(each, room, 1),
  )
  return { parts, more: all.length - parts.length }
}

/** Parts and letters that may still be explained. */
type Room = { parts: number; letters: number }

/** Takes the room that a part needs, if it is there. */
function fits(pipeline: Pipeline, room: Room): boolean {
  const letters = JSON.stringify(writePipeline(pipeline)).length
  if (room.parts < 1 || room.letters < letters) return false
  room.parts--
  room.letters -= letters
  return true
}

/** Reads parts until one does not fit. */
function takeWhileRoom<T>(all: readonly T[], room: Room, read: (one: T) => Part | null): Part[] {
  const taken: Part[] = []
  for (const one of all) {
    const part = room.parts > 0 ? read(one) : null
    if (!part) break
    taken.push(part)
  }
  return taken
}

const groupKinds = { and: 'all', or: 'any', nor: 'none' } as const

function termPart(term: Term, room: Room, depth: number): Part | null {
  const pipeline = matching([term])
  if (!fits(pipeline, room)) return null
  const isGroup = term.kind === 'and' || term.kind === 'or' || term.kind === 'nor'
  if (!isGroup || depth > explainedConditions.deepest) return conditionPart([term])
  const of = takeWhileRoom(term.of, room, (branch) => branchPart(branch, room, depth + 1))
  return { kind: groupKinds[term.kind], of, more: term.of.length - of.length, pipeline }
}

/** A branch: a single term, or several that must all hold. */
function branchPart(branch: Condition, room: Room, depth: number): Part | null {
  const terms = flatten(branch)
  const [only] = terms
  if (only && terms.length === 1) return termPart(only, room, depth)
  return termPart({ kind: 'and', of: terms.map((term) => [term]) }, room, depth)
}

function conditionPart(condition: Condition): Part {
  const json = writeCondition(condition)
  const [entry, ...more] = Object.entries(json)
  const looksAt = entry && more.length === 0 ? { name: entry[0], test: entry[1] } : null
  return { kind: 'condition', condition: json, looksAt, pipeline: matching(condition) }
}

const matching = (condition: Condition): Pipeline => [{ kind: 'match', condition }]

/** The parts and those within them. */
export const withInner = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => ('of' in part ? [part, ...withInner(part.of)] : [part]))
