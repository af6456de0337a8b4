import { api } from '@portico/contract/api'
import { errors } from '@portico/contract/errors'
import { pipelineStages } from '@portico/contract/filter-stages'
import { isOpenAccess, type Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

// The parts of OpenAPI 3.1 that we use, as its specification defines them; anything else in the document is a mistake.
const Schema: z.ZodType = z.union([
  z.strictObject({ $ref: z.string().startsWith('#/components/schemas/'), description: z.string().optional() }),
  z.strictObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    format: z.string().optional(),
    contentMediaType: z.literal('application/json').optional(),
    get contentSchema() {
      return Schema.optional()
    },
    pattern: z.string().optional(),
    description: z.string().optional(),
    default: z.unknown().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    get items() {
      return z.union([z.literal(false), Schema]).optional()
    },
    get prefixItems() {
      return z.array(Schema).optional()
    },
    get anyOf() {
      return z.array(Schema).optional()
    },
    get oneOf() {
      return z.array(Schema).optional()
    },
    get properties() {
      return z.record(z.string(), Schema).optional()
    },
    get propertyNames() {
      return Schema.optional()
    },
    required: z.array(z.string()).optional(),
    get additionalProperties() {
      return z.union([z.literal(false), Schema]).optional()
    },
  }),
])
const Content = z.record(z.string().regex(/^\w+\/[\w-]+$/), z.strictObject({ schema: Schema.optional() }))
const Operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(10),
  description: z.string().min(10),
  tags: z.tuple([z.string()]),
  'x-access': z.string(),
  'x-action': z.string().optional(),
  security: z.array(z.union([z.strictObject({ token: z.tuple([]) }), z.strictObject({ credential: z.tuple([]) })])),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      description: z.string().optional(),
      schema: Schema,
      'x-json': Schema.optional(),
    }),
  ),
  requestBody: z.strictObject({ required: z.literal(true), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[2-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), content: Content.optional() }),
  ),
})
const Document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.tuple([z.strictObject({ url: z.literal('/api') })]),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'put', 'post', 'delete']), Operation)),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.object({ type: z.literal('http'), scheme: z.enum(['bearer', 'basic']) })),
    schemas: z.record(z.string().regex(/^\w+$/), Schema),
  }),
})

let portal: TestPortal
let text: string
let document: z.output<typeof Document>

beforeAll(async () => {
  portal = await startPortal()
  const answer = await portal.anonymous.get('/openapi.json')
  text = JSON.stringify(answer.body)
  document = Document.parse(answer.body)
})
afterAll(() => portal.close())

const routes: [string, Route][] = Object.entries(api)

function operationOf({ method, path }: Route): z.output<typeof Operation> {
  const at = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]
  return Operation.parse(Object.entries(at ?? {}).find(([name]) => name.toUpperCase() === method)?.[1])
}

describe('the OpenAPI document', () => {
  test.each(routes)('describes %s as in the contract', (name, route) => {
    const operation = operationOf(route)
    const { operationId, summary, parameters, responses, requestBody } = operation
    expect({ operationId, summary, access: operation['x-access'], action: operation['x-action'] }).toEqual({
      operationId: name,
      summary: route.summary,
      access: route.access,
      action: route.action,
    })
    expect(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one.required])).toEqual(
      [...route.path.matchAll(/:(\w+)/g)].map(([, param]) => [param, true]),
    )
    expect(Boolean(requestBody)).toBe(Boolean(route.body))
    const refused = (route.errors ?? []).map((code) => String(errors[code].status))
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([String(route.status ?? 200), ...refused]))
  })

  test('contains exactly the calls of the contract, each with its own name', () => {
    const operations = Object.values(document.paths).flatMap((at) => Object.values(at))
    expect(operations.map((each) => each?.operationId).toSorted()).toEqual(Object.keys(api).toSorted())
  })

  test('refers only to existing schemas, and contains no unused ones', () => {
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    expect(used).toEqual(new Set(Object.keys(document.components.schemas)))
  })

  test('requires a token or an API credential where the server does', () => {
    const schemes = (route: Route) => operationOf(route).security.flatMap((each) => Object.keys(each))
    for (const [, route] of routes) {
      expect(schemes(route)).toEqual(
        isOpenAccess(route.access) ? [] : route.access === 'self' ? ['token'] : ['token', 'credential'],
      )
    }
    expect(schemes(api.login)).toEqual([])
    expect(operationOf(api.getProfile).description).toContain('sign-in with a password')
    expect(operationOf(api.listIdentities).description).toContain('power users')
    expect(operationOf(api.createPolicy).description).toContain('For power admins')
    expect(Object.keys(operationOf(api.listIdentities).responses)).toEqual(expect.arrayContaining(['401', '403']))
    expect(operationOf(api.listOffers)).toMatchObject({
      'x-access': 'contact-service::offers::get',
      description: 'Requires the action `contact-service::offers::get` in the account of the token.',
    })
  })

  test('describes the parameters of a list call with limits and defaults', () => {
    const { parameters } = operationOf(api.listImports)
    expect(parameters.find(({ name }) => name === 'limit')).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    })
    expect(parameters.find(({ name }) => name === 'find')?.description).toContain('JSON array of stages')
  })

  test('describes filters and pipelines wherever a call takes one', () => {
    const filter = { $ref: '#/components/schemas/Filter' }
    const pipeline = { $ref: '#/components/schemas/Pipeline' }
    const textOf = (contentSchema: unknown) => ({
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema,
    })
    const parameterOf = (route: Route, asked: string) =>
      operationOf(route).parameters.find(({ name }) => name === asked)
    const [schema, type] = [{ type: 'string' }, 'object']
    expect(parameterOf(api.listOffers, 'find')).toMatchObject({ schema, 'x-json': filter })
    expect(parameterOf(api.listOffers, 'aggregate')).toMatchObject({ schema, 'x-json': pipeline })
    expect(parameterOf(api.listImports, 'find')).toMatchObject({ schema, 'x-json': filter })
    expect(parameterOf(api.listOffers, 'sort')).toMatchObject({ schema, 'x-json': { type } })
    // A text field, not a file picker.
    expect(parameterOf(api.listOffers, 'find')?.schema).toEqual(schema)
    expect(operationOf(api.deleteOffers).requestBody?.content).toMatchObject({
      'application/json': { schema: { properties: { filter }, required: ['filter', 'deletedRecords'] } },
    })
    const { NewExport, NewSavedFilter, DeleteRecord, Pipeline } = document.components.schemas
    expect(NewExport).toMatchObject({ properties: { aggregateQuery: { ...textOf(pipeline), maxLength: 750_000 } } })
    expect(NewSavedFilter).toMatchObject({ properties: { aggregateQuery: textOf(pipeline) } })
    // Every part has a meaningful name.
    expect(Object.keys(document.components.schemas).filter((name) => name.startsWith('_'))).toEqual([])
    expect(DeleteRecord).toMatchObject({ properties: { filter } })
    const stages = z.object({ items: z.object({ anyOf: z.array(z.object({ required: z.tuple([z.string()]) })) }) })
    const names = stages.parse(Pipeline).items.anyOf.map(({ required: [name] }) => name)
    expect(names).toEqual([...pipelineStages, '$predefined'])
  })

  test('forbids unknown fields in bodies and allows them in replies', () => {
    const { NewImport, Import } = document.components.schemas
    expect(NewImport).toMatchObject({ additionalProperties: false })
    expect(Import).not.toHaveProperty('additionalProperties')
  })

  test('matches an actual reply of the server', async () => {
    const reply = await portal.anonymous.post('/identity/v1/login', { email: 'nobody@example.com', password: 'x' })
    const documented = operationOf(api.login).responses[String(reply.status)]
    expect(documented?.description).toContain('`wrong_credentials`')
    const described = z.fromJSONSchema(
      document.components.schemas['ErrorReply'] as Parameters<typeof z.fromJSONSchema>[0],
    )
    expect(described.safeParse(reply.body).success).toBe(true)
    expect(described.safeParse({ error: { code: 'no_such_code', message: '' } }).success).toBe(false)
  })
})

describe('the API documentation page', () => {
  test('complies with the content security policy: no inline script or style', async () => {
    const { status, headers, body } = await portal.anonymous.get('/docs')
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(headers['content-security-policy']).toMatch(/script-src 'self'( 'sha256-[^']+')?;/)
    const scripts = [...String(body).matchAll(/<script([^>]*)>([^<]*)</g)]
    expect(scripts.length).toBeGreaterThan(0)
    for (const [, attributes, content] of scripts) {
      expect(attributes).toContain('src="/api/docs/')
      expect(content?.trim()).toBe('')
    }
    expect(String(body)).not.toMatch(/<style| on\w+=/)
  })

  test('loads all of its files, and the same document', async () => {
    const { body } = await portal.anonymous.get('/docs')
    const loads = [...String(body).matchAll(/(?:src|href)="\/api([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(loads).toContainEqual(expect.stringContaining('swagger-ui-bundle.js'))
    for (const path of loads) expect((await portal.anonymous.get(path)).status).toBe(200)
    expect(JSON.stringify((await portal.anonymous.get('/docs/json')).body)).toBe(text)
  })
})
