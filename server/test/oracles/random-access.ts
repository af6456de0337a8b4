import { days } from '@portico/contract/identities'
import { conditionOperators, conditionOptions } from '@portico/contract/policies'
import { ReadText } from '@portico/contract/read-text'
import fc from 'fast-check'

// Few values, so that requests and policies often match.

const words = ['a', 'A', 'ab', 'Abc', 'b', '1', '01', '10', '1.0', 'true', '', 'a,b', '::', 'é', ' 1']
const word = fc.constantFrom(...words)
const pattern = fc.constantFrom('^a', 'b$', 'a|1', '[', '.', '^$', '\\d+', '(a+)b', 'B')
const value = fc.oneof(
  word,
  fc.integer({ min: 0, max: 11 }),
  fc.boolean(),
  fc.constant(null),
  fc.array(word, { maxLength: 3 }),
)
const name = fc.constantFrom('a', 'b', 'a.b', 'A')
const body = fc.dictionary(
  name,
  fc.oneof(
    value,
    fc.dictionary(name, value, { maxKeys: 2 }),
    fc
      .dictionary(name, value, { minKeys: 1, maxKeys: 2 })
      .map((object) => ReadText.json(object, JSON.stringify(object))),
    fc.array(fc.dictionary(name, value, { minKeys: 1 }), { minLength: 1, maxLength: 2 }),
  ),
  { minKeys: 1, maxKeys: 3 },
)

const condition = fc
  .record({
    // Bodies are the most error-prone.
    option: fc.constantFrom(...conditionOptions, 'body' as const, 'body' as const),
    name: fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a.a', 'a.a', 'a.b.a'),
    position: fc.constantFrom('0', '1', '2'),
    operator: fc.constantFrom(...conditionOperators),
    word: fc.oneof(word, fc.constantFrom('a,b', 'a, 1', 'b,10,', 'ab')).filter((text) => text !== ''),
    pattern,
  })
  .map((part) => {
    const wanted = part.operator === 'regex' ? part.pattern : part.word
    return `${part.option}::${part.option === 'param' ? part.position : part.name}::${part.operator}::${wanted}`
  })

const services = ['contact-service', '*', 'bi', '*']
const heldAction = fc
  .tuple(
    fc.constantFrom(...services),
    fc.constantFrom('imports', 'exports', '*', '*'),
    fc.constantFrom('get', 'PUT', 'put', '*'),
  )
  .map((parts) => parts.join('::'))

const policy = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom('Readers', 'Writers', 'contact-import-list'),
  isAdmin: fc.boolean(),
  groups: fc.constant<string[]>(['Some group']),
  isAssigned: fc.constant(true),
  actions: fc.array(heldAction, { minLength: 1, maxLength: 2 }),
  conditions: fc.oneof(fc.constant<string[]>([]), fc.array(condition, { minLength: 1, maxLength: 3 })),
  conditionLogic: fc.constantFrom('and' as const, 'or' as const),
})

const effect = fc.constantFrom('in' as const, 'nin' as const)
const seldom = <T>(something: fc.Arbitrary<T>, otherwise: T) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: something })

const addresses = ['10.1.2.3', '10.200.0.1', '192.168.1.7', '::1', '2001:db8::7', '2001:db8:1::1', '::ffff:10.1.2.3']
const cidrs = `10.0.0.0/8 10.1.2.3 10.1.0.0/16 0.0.0.0/0 ::/0 2001:db8::/32 2001:db8::/48 192.168.1.4/30 ::1
  ::ffff:10.0.0.0/104 10.1.2.3/32`
const cidr = fc.constantFrom(...cidrs.split(/\s+/))

const zone = fc.constantFrom('UTC', 'Europe/Zurich', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')

const identity = fc.record({
  id: fc.uuid(),
  homeZone: fc.option(zone),
  account: fc.constantFrom(1, 2, null),
  userName: fc.constant(null),
  isDisabled: seldom(fc.constant(true), false),
  isAdmin: fc.boolean(),
  accessToAllSubAccounts: fc.boolean(),
  days: seldom(fc.subarray([...days], { minLength: 1 }), []),
  daysEffect: effect,
  hours: seldom(
    fc.subarray(
      Array.from({ length: 24 }, (_, hour) => hour),
      { minLength: 1 },
    ),
    [],
  ),
  hoursEffect: effect,
  cidr: seldom<string | null>(cidr, null),
  rowRule: fc.constant(null),
  policies: fc.array(policy, { maxLength: 3 }),
})

/** Policies and limits of an identity. */
export const randomIdentity = identity

/** The parts of a request that conditions refer to. */
export const randomRequest = fc.record({
  params: fc.array(
    word.filter((text) => text !== ''),
    { maxLength: 2 },
  ),
  query: fc.dictionary(fc.constantFrom('a', 'b', 'a.b'), fc.oneof(word, fc.array(word, { maxLength: 2 })), {
    maxKeys: 2,
  }),
  body,
  address: fc.constantFrom(...addresses),
})

/** Generates an account, identities with access to it, and a request at any time, often near a clock change. */
export const randomSituation = fc.record({
  account: fc.record({
    id: fc.constant(1),
    timeZone: zone,
    isSuspended: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    lacksTwoFactor: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  }),
  identities: fc.array(identity, { minLength: 1, maxLength: 3 }),
  request: fc.tuple(randomRequest, heldAction, fc.boolean()).chain(
    ([request, held, isNearChange]) =>
      fc.record({
        ...Object.fromEntries(Object.entries(request).map(([key, part]) => [key, fc.constant(part)])),
        at: isNearChange
          ? fc.date({
              min: new Date('2026-03-28T22:00:00Z'),
              max: new Date('2026-03-29T04:00:00Z'),
              noInvalidDate: true,
            })
          : fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        action: fc.constant(
          held.toLowerCase().replace(/^\*/, 'contact-service').replace('::*::', '::imports::').replace(/\*$/, 'put'),
        ),
      }) as fc.Arbitrary<typeof request & { at: Date; action: string }>,
  ),
})
