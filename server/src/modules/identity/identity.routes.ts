import { identityApi } from '@portico/contract/identity'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { accessRoutes } from './access.routes.ts'
import { ownAccountRoutes } from './own-account.routes.ts'
import { signIn, signInWithCode } from './sign-in.service.ts'
import { createTokens } from './tokens.ts'

export function identityRoutes(app: FastifyInstance, services: Pick<Services, 'config' | 'database' | 'jobs'>) {
  const { config, database } = services
  const { company, product, helpUrl, moduleUrls } = config
  const deployment = { company, product, helpUrl, modules: Object.keys(moduleUrls) }
  const deps = { ...services, tokens: createTokens(config.secretKey) }
  serve(app, identityApi.getDeployment, async () => deployment)
  serve(app, identityApi.login, (from, { body }) =>
    'code' in body ? signInWithCode(deps, body, from) : signIn(deps, body, from),
  )
  ownAccountRoutes(app, services)
  accessRoutes(app, { config, database })
}
