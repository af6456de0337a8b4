import { ownAccountApi } from '@portico/contract/own-account'
import type { FastifyInstance } from 'fastify'
import { readProfile } from '#sign-in'
import { apiPrefix, serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { changeName, changePhoto, openPhoto, removePhoto } from './profile.service.ts'

export function profileRoutes(app: FastifyInstance, services: Pick<Services, 'database' | 'storage' | 'log'>): void {
  serve(app, ownAccountApi.getProfile, ({ db, caller }) => readProfile(db, caller.personId))
  serve(app, ownAccountApi.updateProfile, (context, { body }) => changeName(context, body))
  serve(app, ownAccountApi.putPhoto, (context, { version, body }) => changePhoto(services, context, body, version))
  serve(app, ownAccountApi.deletePhoto, (context) => removePhoto(services, context))
  // Not served through `serve`, since it sends bytes.
  app.route({
    method: 'GET',
    url: apiPrefix + ownAccountApi.getPhoto.path,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { name } = ownAccountApi.getPhoto.params.parse(request.params)
      const photo = await openPhoto(services.storage, name)
      void reply.headers({
        'content-type': 'image/jpeg',
        // The content of a URL never changes, so browsers need to fetch it only once.
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      return reply.send(photo)
    },
  })
}
