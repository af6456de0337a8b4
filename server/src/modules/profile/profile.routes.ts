import { ownAccountApi } from '@portico/contract/own-account'
import type { FastifyInstance } from 'fastify'
import { readProfile } from '#identity'
import { apiPrefix, serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { changeName, changePhoto, openPhoto, removePhoto } from './profile.service.ts'

export function profileRoutes(app: FastifyInstance, parts: Pick<PortalParts, 'database' | 'storage' | 'log'>): void {
  serve(app, ownAccountApi.getProfile, ({ db, caller }) => readProfile(db, caller.personId))
  serve(app, ownAccountApi.updateProfile, (context, { body }) => changeName(context, body.userName))
  serve(app, ownAccountApi.putPhoto, (context, { body }) => changePhoto(parts, context, body))
  serve(app, ownAccountApi.deletePhoto, (context) => removePhoto(parts, context))
  // Not by `serve`: it answers bytes.
  app.route({
    method: 'GET',
    url: apiPrefix + ownAccountApi.getPhoto.path,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { name } = ownAccountApi.getPhoto.params.parse(request.params)
      const photo = await openPhoto(parts.storage, name)
      void reply.headers({
        'content-type': 'image/jpeg',
        // What stands under an address never changes, so nobody need ask twice.
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      return reply.send(photo)
    },
  })
}
