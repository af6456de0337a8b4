import type { Draw } from './random-filters.ts'

// Filters by which a person who may see only some contacts would try to see others: alternatives, negations,
// expressions, patterns, and the same names and values in other spellings.

const values = [
  'Bern',
  'bern',
  'Lyon',
  'Ｂｅｒｎ',
  'Be\u0301rn',
  'Bern\u200B',
  'Bern ',
  '"City":"Bern"',
  '","City":{"$ne":"Bern"},"x":"',
  "Bern' OR '1'='1",
  'Bern%',
  '\\u0042ern',
  '$City',
  '',
]

const patterns = [
  '.*',
  '^',
  '',
  '|',
  '^Bern$|.',
  '\\x42ern',
  '\\u0042ern',
  '(?i)lyon',
  '(?:Bern|Lyon)',
  'L(?=yon)',
  '(?!Bern)',
  '[^B]',
  '[\\s\\S]',
  '\\QBern\\E',
  '^(Bern){0}',
  'ｅ',
  '(',
]

const names = [
  'City',
  'City',
  'Name',
  'city',
  'CITY',
  'Ｃｉｔｙ',
  'C\u0131ty',
  'City\u200B',
  '$City',
  'contacts.City',
  '_id',
]

function drawValue(draw: Draw): unknown {
  const value = (): unknown => draw.one<unknown>([...values, null, 1, true])
  return draw.one<() => unknown>([
    value,
    value,
    () => ({ [draw.one(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'])]: value() }),
    () => ({ [draw.one(['$in', '$nin'])]: [value(), value()] }),
    () => ({ $exists: draw.chance(0.5) }),
    () => ({ $regex: draw.one(patterns), ...(draw.chance(0.3) && { $options: draw.one(['i', 'x', 's', 'ix']) }) }),
    () => ({ $not: drawOperators(draw) }),
    () => ({ $where: '1', $expr: 1 }),
  ])()
}

const drawOperators = (draw: Draw): unknown =>
  draw.one<unknown>([{ $regex: draw.one(patterns) }, { $in: [draw.one(values)] }, { $not: { $eq: draw.one(values) } }])

const expressions: unknown[] = [
  true,
  { $ne: ['$City', 'Bern'] },
  { $or: [{ $eq: ['$City', 'Bern'] }, true] },
  { $eq: [1, 1] },
]

/** Draws conditions of any shape, many of which the portal refuses. */
export function drawHostileMatch(draw: Draw, depth = 0): Record<string, unknown> {
  const inner = (): Record<string, unknown> => drawHostileMatch(draw, depth + 1)
  if (depth < 4 && draw.chance(0.55)) {
    const branches = Array.from({ length: 1 + draw.below(2) }, inner)
    return { [draw.one(['$and', '$or', '$nor'])]: draw.chance(0.2) ? [...branches, {}] : branches }
  }
  if (draw.chance(0.06)) return { [draw.one(['$expr', '$where', '$comment', '$jsonSchema'])]: draw.one(expressions) }
  if (draw.chance(0.15)) {
    const events = {
      $elemMatch: draw.one([{}, { event_code: draw.one(['visit', 'buy']) }, { event_code: drawValue(draw) }]),
    }
    return { events: draw.chance(0.4) ? { $not: events } : events }
  }
  const fields = Array.from({ length: 1 + draw.below(2) }, () => [draw.one(names.slice(0, 5)), drawValue(draw)])
  const odd = draw.chance(0.08) ? { [draw.one(names)]: drawValue(draw) } : {}
  return { ...Object.fromEntries(fields), ...(draw.chance(0.3) && { Age: { $gte: draw.below(60) } }), ...odd }
}

const others: Record<string, unknown>[] = [
  { $unionWith: 'contacts' },
  { $lookup: { from: 'contacts', localField: 'City', foreignField: 'City', as: 'all' } },
  { $facet: { all: [{ $match: {} }] } },
  { $out: 'mine' },
  { $match: {} },
]

/** Draws stages of any kind. The last ones make the order unique. */
export function drawHostileStages(draw: Draw): Record<string, unknown>[] {
  const stages: Record<string, unknown>[] = []
  for (let count = draw.below(3); count > 0; count -= 1) {
    stages.push(draw.chance(0.05) ? draw.one(others) : { $match: drawHostileMatch(draw) })
  }
  if (draw.chance(0.3)) stages.push({ $sort: { Name: draw.one([1, -1]), _id: 1 } }, { $skip: draw.below(4) })
  if (draw.chance(0.2)) stages.push({ $addFields: { City: draw.one(['Bern', '$Name']), Age: { $add: ['$Age', 1] } } })
  if (draw.chance(0.25)) stages.push({ $unwind: '$events' })
  const isUnwound = stages.some((stage) => '$unwind' in stage)
  if (draw.chance(0.25)) return [...stages, { $count: 'many' }]
  const key = draw.one<unknown>(['$City', '$Name', null, '$Age', ...(isUnwound ? ['$events.event_code'] : [])])
  const group = { _id: key, n: { $sum: 1 }, oldest: { $max: '$Age' }, first: { $min: '$Name' }, all: { $sum: '$Age' } }
  stages.push({ $group: group })
  if (draw.chance(0.3)) stages.push({ $match: draw.one([{ n: { $gte: 1 } }, { $or: [{ n: 1 }, { n: { $ne: 1 } }] }]) })
  return [...stages, { $sort: { _id: 1 } }]
}

/** Returns the same JSON with some of its letters escaped. */
export function escaped(draw: Draw, json: string): string {
  if (draw.chance(0.5)) return json
  return json.replaceAll(/(?<!\\)[A-Za-z$]/g, (letter, at: number) =>
    isInText(json, at) && draw.chance(0.3) ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  )
}

/** Returns whether a position is within a text of the JSON, and not within an escape. */
function isInText(json: string, at: number): boolean {
  let isInside = false
  for (let place = 0; place < at; place += 1) {
    if (json[place] === '\\') {
      const length = json[place + 1] === 'u' ? 5 : 1
      if (place + length >= at) return false
      place += length
    } else if (json[place] === '"') isInside = !isInside
  }
  return isInside
}
