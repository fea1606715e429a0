import { z } from '@hono/zod-openapi';
import type { Group } from '../../model/group.ts';
import type { Router } from '../router.ts';
import { ErrorBody, idParam, json, jsonBody, nameText, seconds, toSeconds } from '../schemas.ts';

const GroupBody = z
  .object({ id: z.int(), name: z.string(), created_at: seconds, updated_at: seconds })
  .openapi('Group');

const GroupInput = z.object({ name: nameText(200) }).openapi('GroupInput');

const path = '/api/groups';
const tags = ['groups'];
const one = json(z.object({ data: GroupBody }), 'The group');

export function groupRoutes(router: Router): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List your groups, the default group first',
      responses: { 200: json(z.object({ data: z.array(GroupBody), total: z.int() }), 'Your groups') },
    },
    async (c) => {
      const groups = await c.get('actor').rows.groups.list();
      return c.json({ data: groups.map(toBody), total: groups.length }, 200);
    },
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Add a group',
      request: { body: jsonBody(GroupInput) },
      responses: { 200: one, 409: json(ErrorBody, 'You have a group of that name') },
    },
    async (c) => c.json({ data: toBody(await c.get('actor').rows.groups.create(c.req.valid('json'))) }, 200),
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get a group; your default group has the id 1',
      request: { params: idParam },
      responses: { 200: one },
    },
    async (c) => c.json({ data: toBody(await c.get('actor').rows.groups.get(c.req.valid('param').id)) }, 200),
  );

  router.user(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tags,
      summary: 'Rename a group',
      request: { params: idParam, body: jsonBody(GroupInput) },
      responses: { 200: one, 409: json(ErrorBody, 'You have a group of that name') },
    },
    async (c) => {
      const group = await c.get('actor').rows.groups.rename(c.req.valid('param').id, c.req.valid('json'));
      return c.json({ data: toBody(group) }, 200);
    },
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tags,
      summary: 'Delete a group; its feeds move to the default group, which cannot be deleted',
      request: { params: idParam },
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      await c.get('actor').rows.groups.delete(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );
}

function toBody(group: Group) {
  return {
    id: group.id,
    name: group.name,
    created_at: toSeconds(group.createdAt),
    updated_at: toSeconds(group.updatedAt),
  };
}
