import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { api, describedBy, namedSchemas } from '@portico/contract/api'
import { type ErrorCode, errors } from '@portico/contract/errors'
import { type Access, isOpenAccess, type Route } from '@portico/contract/route'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { memoized } from '@portico/domain/memoized'
import { apiPrefix } from './serving.ts'

/** A part of an OpenAPI document. */
type Json = Record<string, unknown>

/** Serves the description of the API (`/api/openapi.json`) and a page to browse it and try calls (`/api/docs`). */
export async function documentApi(app: FastifyInstance, { product }: { product: string }): Promise<void> {
  const { text, zipped, etag } = written(product)
  app.get(`${apiPrefix}/openapi.json`, (request, reply) => {
    void reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    void reply.type('application/json; charset=utf-8')
    const isZipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return isZipped ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(text)
  })
  // The page gets the document from this plugin, whose type allows only OpenAPI 3.0 although it accepts any document.
  await app.register(swagger, { mode: 'static', specification: { document: JSON.parse(text) as never } })
  await app.register(swaggerUi, {
    routePrefix: `${apiPrefix}/docs`,
    theme: { title: `${product} API` },
    // Without the top bar, which could load other documents. Sections can be linked to; entered tokens are not kept.
    uiConfig: { layout: 'BaseLayout', deepLinking: true, defaultModelsExpandDepth: 0, persistAuthorization: false },
  })
}

/**
 * The document as text, for the product's name. Built once per process, as anyone may request it and it never changes.
 */
const written = memoized(1, (product) => {
  const text = JSON.stringify(openApiDocument(product))
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  return { text, zipped: gzipSync(text), etag }
})

/** Returns the OpenAPI 3.1 document of all calls of the contract. */
function openApiDocument(product: string): Json {
  const schemas = new SchemaList()
  const calls: [string, Route][] = Object.entries(api)
  const paths: Record<string, Json> = {}
  for (const [name, route] of calls) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: `${product} API`, version: '1', description },
    servers: [{ url: apiPrefix }],
    tags: [...new Set(calls.map(([, route]) => serviceOf(route)))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The token of a session or of an impersonation link.',
        },
        credential: {
          type: 'http',
          scheme: 'basic',
          description:
            'Access key and secret key of an API credential. The header `x-account-id` selects another account.',
        },
      },
      schemas: { ErrorReply: errorReply, ...schemas.named },
    },
  }
}

const description = `Sign in with \`POST /identity/v1/login\`, enter an account with \`GET /identity/v1/login/{account}\`, and send
the token of its response with every call: \`Authorization: Bearer <token>\` (the word \`Bearer\` is optional).
The account is part of the token. Programs send the access key and the secret key of an API credential instead, with
HTTP Basic; they work in the account of its identity, or in the one in the header \`x-account-id\`. Paths are
case-insensitive.

All errors have the same body, with a stable code and a text for people that may change. Besides the errors listed with a
call, any call can return 500 \`unexpected\`, and 503 \`unavailable\` or \`server_away\` with \`Retry-After\`.`

const errorReply: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { enum: Object.keys(errors) },
        message: { type: 'string' },
        details: {
          description: 'For `invalid_input`, a list of `{field, message}`; otherwise it depends on the code.',
        },
      },
    },
  },
}

function operation(name: string, route: Route, schemas: SchemaList): Json {
  return {
    operationId: name,
    summary: route.summary,
    description: whoMayCall(route),
    tags: [serviceOf(route)],
    'x-access': route.access,
    ...(route.action && { 'x-action': route.action }),
    security: securityOf(route.access),
    parameters: [...parameters('path', route.params, schemas), ...parameters('query', route.query, schemas)],
    ...(route.body && { requestBody: { required: true, content: content(route.body, 'input', schemas) } }),
    responses: { [route.status ?? 200]: success(route, schemas), ...refusals(route) },
  }
}

/** Returns the service of a route: the first part of its path. */
function serviceOf(route: Route): string {
  return route.path.split('/')[1] ?? ''
}

function securityOf(access: Access): Json[] {
  if (isOpenAccess(access)) return []
  return access === 'self' ? [{ token: [] }] : [{ token: [] }, { credential: [] }]
}

function whoMayCall({ access, action }: Route): string {
  switch (access) {
    case 'public':
      return 'No sign-in required.'
    case 'signed-url':
      return 'Requires a signed link.'
    case 'remote-access':
      return 'For pages and programs that a remote access of the account lets in; no sign-in. The query names exactly its authentication columns, `?email=ada@example.com`.'
    case 'person':
      return 'Requires a sign-in, with or without an account.'
    case 'account':
      return 'Requires a sign-in to an account.'
    case 'self':
      return 'Requires a sign-in with a password, and concerns only the caller. Not available by impersonation or API credential.'
    case 'administrator':
      return `For power users in their account, and for power admins who hold the action \`${action}\`. Not available by impersonation.`
    case 'power-admin':
      return `For power admins who hold the action \`${action}\`. Not available by impersonation.`
    default:
      return `Requires the action \`${access}\` in the account of the token.`
  }
}

function parameters(place: 'path' | 'query', schema: z.ZodObject | undefined, schemas: SchemaList): Json[] {
  if (!schema) return []
  // The JSON schema of an object always has properties, each of which is a schema.
  const { properties, required = [] } = schemas.of(schema, 'input') as {
    properties: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(
    ([name, { description: text, contentMediaType: _json, contentSchema, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(text !== undefined && { description: text }),
      schema,
      // The schema of JSON in a text. With the standard keyword the page would show a file picker.
      ...(contentSchema !== undefined && { 'x-json': contentSchema }),
    }),
  )
}

function success(route: Route, schemas: SchemaList): Json {
  if (route.status === 204) return { description: 'Success, without content.' }
  return { description: 'Success.', content: content(route.reply, 'output', schemas) }
}

function content(schema: z.ZodType, io: 'input' | 'output', schemas: SchemaList): Json {
  // Raw bytes: OpenAPI 3.1 expresses them by omitting the schema.
  if (schema instanceof z.ZodFile) return { 'application/octet-stream': {} }
  return { 'application/json': { schema: schemas.of(schema, io) } }
}

/** Returns the errors of a call by status: its own, and those implied by its access and input. */
function refusals(route: Route): Record<string, Json> {
  const takesInput = Boolean(route.params ?? route.query ?? route.body)
  const codes: ErrorCode[] = [
    ...(takesInput && route.access !== 'signed-url' ? (['invalid_input'] as const) : []),
    ...(isOpenAccess(route.access) ? [] : (['not_signed_in', 'outside_limits'] as const)),
    ...(isOpenAccess(route.access) || route.access === 'account' ? [] : (['not_allowed'] as const)),
    ...(route.body && !(route.body instanceof z.ZodFile) ? (['too_large'] as const) : []),
    ...(route.errors ?? []),
  ]
  const byStatus = Map.groupBy(new Set(codes), (code) => String(errors[code].status))
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errors[code].text}`).join('\n\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorReply' } } },
      },
    ]),
  )
}

/** A schema of the contract with its JSON schema. */
type Part = { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }

for (const [id, schema] of Object.entries(namedSchemas)) z.globalRegistry.add(schema, { id })

/** Converts schemas of the contract to JSON schemas; named ones become references. */
class SchemaList {
  readonly named: Record<string, Json> = {}

  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _dialect,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, { io, override: (part) => this.#override(part) })
    for (const [name, definition] of Object.entries($defs)) this.#keep(name, definition as Json)
    return pointToComponents(rest)
  }

  #override(part: Part): void {
    simplify(part)
    const { zodSchema, jsonSchema } = part
    const isJsonText = jsonSchema.contentMediaType === 'application/json' && zodSchema instanceof z.ZodPipe
    if (isJsonText && !(zodSchema.out instanceof z.ZodTransform)) {
      jsonSchema.contentSchema = this.of(zodSchema.out as z.ZodType, 'input')
    }
    const inside = describedBy.get(zodSchema)
    if (!inside) return
    if (jsonSchema.type === 'string') {
      Object.assign(jsonSchema, { contentMediaType: 'application/json', contentSchema: this.of(inside, 'input') })
      return
    }
    const { description: text } = jsonSchema
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
    Object.assign(jsonSchema, this.of(inside, 'input'), text !== undefined && { description: text })
  }

  #keep(name: string, definition: Json): void {
    const { $schema: _dialect, id: _id, ...rest } = definition
    const found = pointToComponents(rest)
    const before = this.named[name]
    // A schema may differ between input and output, but a name can refer to only one of them.
    if (before && JSON.stringify(before) !== JSON.stringify(found)) throw new Error(`"${name}" names two schemas.`)
    this.named[name] = found
  }
}

function pointToComponents(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}

/** Removes parts that are useless to readers. */
function simplify({ zodSchema, jsonSchema }: Part): void {
  // `format` makes the long pattern redundant.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  // Replies may get further properties later; bodies exclude unknown ones by `strictObject`.
  const isStrict = zodSchema._zod.def.type === 'object' && 'catchall' in zodSchema._zod.def
  if (!isStrict && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
