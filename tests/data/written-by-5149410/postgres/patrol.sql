--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: __diesel_schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.__diesel_schema_migrations (
    version character varying(50) NOT NULL,
    run_on timestamp without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);


--
-- Name: check_list_actions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.check_list_actions (
    id uuid NOT NULL,
    check_list_id uuid NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    kind smallint NOT NULL,
    place integer NOT NULL,
    required boolean NOT NULL,
    min_value double precision,
    max_value double precision
);


--
-- Name: check_lists; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.check_lists (
    id uuid NOT NULL,
    name text NOT NULL
);


--
-- Name: graphic_plans; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.graphic_plans (
    id uuid NOT NULL,
    location_id uuid NOT NULL,
    name text NOT NULL
);


--
-- Name: locations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.locations (
    id uuid NOT NULL,
    name text NOT NULL,
    name_folded text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL,
    address_folded text NOT NULL COLLATE pg_catalog."C",
    latitude double precision,
    longitude double precision,
    tags text[] NOT NULL COLLATE pg_catalog."C",
    tags_folded text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: migration_lock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migration_lock (
    id integer NOT NULL
);


--
-- Name: passwords; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.passwords (
    user_id uuid NOT NULL,
    hash text NOT NULL
);


--
-- Name: photo_announcements; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.photo_announcements (
    photo_id uuid NOT NULL,
    announced_at timestamp(3) with time zone NOT NULL,
    condemned boolean NOT NULL
);


--
-- Name: point_history; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.point_history (
    history_id bigint NOT NULL,
    operation smallint NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL,
    id uuid NOT NULL,
    location_id uuid NOT NULL,
    name text NOT NULL,
    name_folded text NOT NULL COLLATE pg_catalog."C",
    kind smallint NOT NULL,
    latitude double precision,
    longitude double precision,
    graphic_plans json NOT NULL,
    rfid_code text,
    rfid_code_folded text COLLATE pg_catalog."C",
    qr_code text,
    qr_code_folded text COLLATE pg_catalog."C",
    tags text[] NOT NULL COLLATE pg_catalog."C",
    tags_folded text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: point_history_history_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.point_history ALTER COLUMN history_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.point_history_history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: points; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.points (
    id uuid NOT NULL,
    location_id uuid NOT NULL,
    name text NOT NULL,
    kind smallint NOT NULL,
    latitude double precision,
    longitude double precision,
    graphic_plans json NOT NULL,
    rfid_code text COLLATE pg_catalog."C",
    qr_code text COLLATE pg_catalog."C",
    tags text[] NOT NULL
);


--
-- Name: scheduled_tasks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scheduled_tasks (
    id uuid NOT NULL,
    name text NOT NULL,
    description text
);


--
-- Name: task_executions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.task_executions (
    id uuid NOT NULL,
    version bigint NOT NULL,
    scheduled_task_id uuid NOT NULL,
    series_id uuid,
    location_id uuid NOT NULL,
    performer_id uuid,
    assignee_ids uuid[] NOT NULL,
    point_ids uuid[] NOT NULL,
    state smallint NOT NULL,
    status smallint,
    priority smallint NOT NULL,
    published boolean NOT NULL,
    order_steps_required boolean NOT NULL,
    strict_time_required boolean NOT NULL,
    deadlined boolean NOT NULL,
    edited boolean NOT NULL,
    start_at timestamp(3) with time zone NOT NULL,
    end_at timestamp(3) with time zone NOT NULL,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    error_count integer NOT NULL,
    warning_count integer NOT NULL,
    step_count integer NOT NULL,
    executed_step_count integer NOT NULL,
    name text NOT NULL,
    name_folded text NOT NULL COLLATE pg_catalog."C",
    tags text[] NOT NULL COLLATE pg_catalog."C",
    tags_folded text NOT NULL COLLATE pg_catalog."C",
    description text,
    description_folded text COLLATE pg_catalog."C",
    steps json NOT NULL
)
WITH (autovacuum_analyze_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.05');
ALTER TABLE ONLY public.task_executions ALTER COLUMN steps SET COMPRESSION lz4;


--
-- Name: tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tokens (
    id uuid NOT NULL,
    digest bytea NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    name_folded text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid NOT NULL,
    first_name text NOT NULL,
    middle_name text,
    last_name text NOT NULL,
    employee_no text,
    employee_no_folded text COLLATE pg_catalog."C",
    employee_pin text,
    email text,
    email_folded text COLLATE pg_catalog."C",
    phone text,
    language text NOT NULL,
    role smallint NOT NULL,
    status smallint NOT NULL,
    photo_id uuid,
    location_ids uuid[] NOT NULL,
    tags text[] NOT NULL,
    linked boolean NOT NULL
);


--
-- Data for Name: __diesel_schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000001', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000002', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000003', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000004', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000005', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000006', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000007', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000008', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000009', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000010', '2026-11-22 01:19:15.631529');
INSERT INTO public.__diesel_schema_migrations VALUES ('20251121000011', '2026-11-22 01:19:15.631529');


--
-- Data for Name: check_list_actions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.check_list_actions VALUES ('0190a000-000b-7000-8000-000000000001', '0190a000-000a-7000-8000-000000000001', 0, 'Temperature', 2, 0, true, -25, -15.5);
INSERT INTO public.check_list_actions VALUES ('0190a000-000b-7000-8000-000000000002', '0190a000-000a-7000-8000-000000000001', 1, 'Locked twice', 0, 1, false, NULL, NULL);


--
-- Data for Name: check_lists; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.check_lists VALUES ('0190a000-000a-7000-8000-000000000001', 'Cold store');


--
-- Data for Name: graphic_plans; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.graphic_plans VALUES ('0190a000-0009-7000-8000-000000000001', '0190a000-0002-7000-8000-000000000001', 'Ground floor');


--
-- Data for Name: locations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.locations VALUES ('0190a000-0002-7000-8000-000000000001', 'Порт, склад 3', 'порт, склад 3', '1 Quay Rd', '1 quay rd', 59.93, 30.25, '{port}', 'port');
INSERT INTO public.locations VALUES ('0190a000-0002-7000-8000-000000000002', 'Airport', 'airport', '', '', NULL, NULL, '{}', '');


--
-- Data for Name: migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migration_lock VALUES (1);


--
-- Data for Name: passwords; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: photo_announcements; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: point_history; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.point_history OVERRIDING SYSTEM VALUE VALUES (1, 0, '2026-11-22 01:19:16.219+00', '0190a000-0003-7000-8000-000000000001', '0190a000-0002-7000-8000-000000000001', 'Gate', 'gate', 1, 59.9301, 30.2502, '[{"id":"0190a000000970008000000000000001","x":0.25,"y":0.5,"further":[["label","\"north\""]]}]', NULL, NULL, 'GATE-1', 'gate-1', '{outer}', 'outer');
INSERT INTO public.point_history OVERRIDING SYSTEM VALUE VALUES (2, 0, '2026-11-22 01:19:16.219+00', '0190a000-0003-7000-8000-000000000002', '0190a000-0002-7000-8000-000000000001', 'Pier', 'pier', 0, NULL, NULL, '[]', NULL, NULL, NULL, NULL, '{}', '');
INSERT INTO public.point_history OVERRIDING SYSTEM VALUE VALUES (3, 0, '2026-11-22 01:19:17.338+00', '01a200d6-0b5a-76a9-9d7c-8ca4813f24db', '0190a000-0002-7000-8000-000000000002', 'Tower', 'tower', 2, NULL, NULL, '[]', '04:A2:19', '04:a2:19', NULL, NULL, '{}', '');
INSERT INTO public.point_history OVERRIDING SYSTEM VALUE VALUES (4, 1, '2026-11-22 01:19:17.363+00', '01a200d6-0b5a-76a9-9d7c-8ca4813f24db', '0190a000-0002-7000-8000-000000000002', 'Control tower', 'control tower', 2, NULL, NULL, '[]', '04:A2:19', '04:a2:19', NULL, NULL, '{inner}', 'inner');
INSERT INTO public.point_history OVERRIDING SYSTEM VALUE VALUES (5, 0, '2026-11-22 01:19:17.378+00', '01a200d6-0b82-70d9-b886-35e4740e200a', '0190a000-0002-7000-8000-000000000002', 'Shed', 'shed', 2, NULL, NULL, '[]', '04:A2:20', '04:a2:20', NULL, NULL, '{}', '');
INSERT INTO public.point_history OVERRIDING SYSTEM VALUE VALUES (6, 2, '2026-11-22 01:19:17.415+00', '01a200d6-0b82-70d9-b886-35e4740e200a', '0190a000-0002-7000-8000-000000000002', 'Shed', 'shed', 2, NULL, NULL, '[]', '04:A2:20', '04:a2:20', NULL, NULL, '{}', '');


--
-- Data for Name: points; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.points VALUES ('0190a000-0003-7000-8000-000000000001', '0190a000-0002-7000-8000-000000000001', 'Gate', 1, 59.9301, 30.2502, '[{"id":"0190a000000970008000000000000001","x":0.25,"y":0.5,"further":[["label","\"north\""]]}]', NULL, 'GATE-1', '{outer}');
INSERT INTO public.points VALUES ('0190a000-0003-7000-8000-000000000002', '0190a000-0002-7000-8000-000000000001', 'Pier', 0, NULL, NULL, '[]', NULL, NULL, '{}');
INSERT INTO public.points VALUES ('01a200d6-0b5a-76a9-9d7c-8ca4813f24db', '0190a000-0002-7000-8000-000000000002', 'Control tower', 2, NULL, NULL, '[]', '04:A2:19', NULL, '{inner}');


--
-- Data for Name: scheduled_tasks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scheduled_tasks VALUES ('0190a000-0004-7000-8000-000000000001', 'Night round', NULL);


--
-- Data for Name: task_executions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000001', 1795310356219, '0190a000-0004-7000-8000-000000000001', '0190a000-0008-7000-8000-000000000001', '0190a000-0002-7000-8000-000000000001', NULL, '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 0, NULL, 0, true, false, false, false, false, '2026-01-11 08:00:00+00', '2026-01-11 09:00:00+00', NULL, NULL, 0, 0, 2, 0, 'Round 1', 'round 1', '{night,fire}', 'nightAfire', 'Along the fence', 'along the fence', '[{"id":"0190a000000670008001000000000001","series":"0190a00000087000800000000000000b","point":"0190a000000370008000000000000001","name":"Gate","actions":[{"id":"0190a000000770008001000000000001","series":"0190a000000870008000000000000065","name":"Closed","type":"BOOLEAN","required":true},{"id":"0190a000000770008002000000000001","series":"0190a000000870008000000000000066","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5}]},{"id":"0190a000000670008002000000000001","series":"0190a00000087000800000000000000c","point":"0190a000000370008000000000000002","name":"Pier","actions":[{"id":"0190a000000770008003000000000001","series":"0190a000000870008000000000000067","name":"Remarks","type":"TEXT"},{"id":"0190a000000770008004000000000001","series":"0190a000000870008000000000000068","name":"Photo","type":"MEDIA","required":true}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000005', 1795310356219, '0190a000-0004-7000-8000-000000000001', NULL, '0190a000-0002-7000-8000-000000000001', '0190a000-0001-7000-8000-000000000004', '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 2, 0, 1, true, false, false, true, false, '2026-01-15 08:00:00+00', '2026-01-15 09:00:00+00', '2026-01-15 08:01:00+00', '2026-01-15 08:31:00.25+00', 0, 0, 2, 2, 'Round 5', 'round 5', '{night,fire}', 'nightAfire', 'Along the fence', 'along the fence', '[{"id":"0190a000000670008001000000000005","point":"0190a000000370008000000000000001","name":"Gate","actual":0,"state":"COMPLETED","actions":[{"id":"0190a000000770008001000000000005","name":"Closed","type":"BOOLEAN","required":true,"value":true},{"id":"0190a000000770008002000000000005","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5,"value":1.25}]},{"id":"0190a000000670008002000000000005","point":"0190a000000370008000000000000002","name":"Pier","actual":1,"state":"COMPLETED","actions":[{"id":"0190a000000770008003000000000005","name":"Remarks","type":"TEXT","value":"всё спокойно"},{"id":"0190a000000770008004000000000005","name":"Photo","type":"MEDIA","required":true,"value":["0190a000000870008000000000000384"]}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000006', 1795310356219, '0190a000-0004-7000-8000-000000000001', NULL, '0190a000-0002-7000-8000-000000000002', '0190a000-0001-7000-8000-000000000004', '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 2, 1, 2, true, true, false, false, false, '2026-01-16 08:00:00+00', '2026-01-16 09:00:00+00', '2026-01-16 08:01:00+00', '2026-01-16 08:31:00.25+00', 0, 1, 2, 2, 'Round 6', 'round 6', '{}', '', NULL, NULL, '[{"id":"0190a000000670008001000000000006","point":"0190a000000370008000000000000001","name":"Gate","actual":0,"state":"COMPLETED","actions":[{"id":"0190a000000770008001000000000006","name":"Closed","type":"BOOLEAN","required":true,"value":true},{"id":"0190a000000770008002000000000006","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5,"value":3.0}]},{"id":"0190a000000670008002000000000006","point":"0190a000000370008000000000000002","name":"Pier","actual":1,"state":"COMPLETED","actions":[{"id":"0190a000000770008003000000000006","name":"Remarks","type":"TEXT","value":"всё спокойно"},{"id":"0190a000000770008004000000000006","name":"Photo","type":"MEDIA","required":true,"value":["0190a000000870008000000000000384"]}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000007', 1795310356219, '0190a000-0004-7000-8000-000000000001', NULL, '0190a000-0002-7000-8000-000000000001', '0190a000-0001-7000-8000-000000000004', '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 2, 2, 1, true, false, false, false, false, '2026-01-17 08:00:00+00', '2026-01-17 09:00:00+00', '2026-01-17 08:01:00+00', '2026-01-17 08:31:00.25+00', 1, 1, 2, 2, 'Round 7', 'round 7', '{night,fire}', 'nightAfire', 'Along the fence', 'along the fence', '[{"id":"0190a000000670008001000000000007","point":"0190a000000370008000000000000001","name":"Gate","actual":0,"state":"COMPLETED","actions":[{"id":"0190a000000770008001000000000007","name":"Closed","type":"BOOLEAN","required":true,"value":false},{"id":"0190a000000770008002000000000007","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5,"value":3.0}]},{"id":"0190a000000670008002000000000007","point":"0190a000000370008000000000000002","name":"Pier","actual":1,"state":"COMPLETED","actions":[{"id":"0190a000000770008003000000000007","name":"Remarks","type":"TEXT","value":"всё спокойно"},{"id":"0190a000000770008004000000000007","name":"Photo","type":"MEDIA","required":true,"value":["0190a000000870008000000000000384"]}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000002', 1795310356220, '0190a000-0004-7000-8000-000000000001', '01a200d6-0be2-7351-906c-fd44b2f8a929', '0190a000-0002-7000-8000-000000000001', NULL, '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 0, NULL, 1, false, true, false, false, true, '2026-01-12 08:00:00+00', '2026-01-12 09:00:00+00', NULL, NULL, 0, 0, 2, 0, 'Second lap', 'second lap', '{}', '', NULL, NULL, '[{"id":"0190a000000670008001000000000002","series":"0190a00000087000800000000000000b","point":"0190a000000370008000000000000001","name":"Gate","actions":[{"id":"0190a000000770008001000000000002","series":"0190a000000870008000000000000065","name":"Closed","type":"BOOLEAN","required":true},{"id":"0190a000000770008002000000000002","series":"0190a000000870008000000000000066","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5}]},{"id":"0190a000000670008002000000000002","series":"0190a00000087000800000000000000c","point":"0190a000000370008000000000000002","name":"Pier","actions":[{"id":"0190a000000770008003000000000002","series":"0190a000000870008000000000000067","name":"Remarks","type":"TEXT"},{"id":"0190a000000770008004000000000002","series":"0190a000000870008000000000000068","name":"Photo","type":"MEDIA","required":true}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000008', 1795310356219, '0190a000-0004-7000-8000-000000000001', NULL, '0190a000-0002-7000-8000-000000000001', '0190a000-0001-7000-8000-000000000004', '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 1, 2, 1, true, true, false, false, false, '2026-01-18 08:00:00+00', '2026-01-18 09:00:00+00', '2026-01-18 08:01:00+00', NULL, 1, 1, 2, 1, 'Round 8', 'round 8', '{}', '', NULL, NULL, '[{"id":"0190a000000670008001000000000008","point":"0190a000000370008000000000000001","name":"Gate","actual":0,"state":"COMPLETED","actions":[{"id":"0190a000000770008001000000000008","name":"Closed","type":"BOOLEAN","required":true,"value":false},{"id":"0190a000000770008002000000000008","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5,"value":3.0}]},{"id":"0190a000000670008002000000000008","point":"0190a000000370008000000000000002","name":"Pier","actions":[{"id":"0190a000000770008003000000000008","name":"Remarks","type":"TEXT"},{"id":"0190a000000770008004000000000008","name":"Photo","type":"MEDIA","required":true}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000004', 1795310356220, '0190a000-0004-7000-8000-000000000001', NULL, '0190a000-0002-7000-8000-000000000001', NULL, '{}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 0, NULL, 0, true, true, false, false, true, '2026-01-14 08:00:00+00', '2026-01-14 09:00:00+00', NULL, NULL, 0, 0, 2, 0, 'Round 4', 'round 4', '{}', '', 'Twice around', 'twice around', '[{"id":"0190a000000670008001000000000004","point":"0190a000000370008000000000000001","name":"Gate","actions":[{"id":"0190a000000770008001000000000004","name":"Closed","type":"BOOLEAN","required":true},{"id":"0190a000000770008002000000000004","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5}]},{"id":"0190a000000670008002000000000004","point":"0190a000000370008000000000000002","name":"Pier","actions":[{"id":"0190a000000770008003000000000004","name":"Remarks","type":"TEXT"},{"id":"0190a000000770008004000000000004","name":"Photo","type":"MEDIA","required":true}]}]');
INSERT INTO public.task_executions VALUES ('0190a000-0005-7000-8000-000000000003', 1795310356220, '0190a000-0004-7000-8000-000000000001', '01a200d6-0be2-7351-906c-fd44b2f8a929', '0190a000-0002-7000-8000-000000000001', NULL, '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 0, NULL, 1, true, true, false, false, true, '2026-01-13 08:00:00+00', '2026-01-13 09:00:00+00', NULL, NULL, 0, 0, 2, 0, 'Second lap', 'second lap', '{}', '', NULL, NULL, '[{"id":"0190a000000670008001000000000003","series":"0190a00000087000800000000000000b","point":"0190a000000370008000000000000001","name":"Gate","actions":[{"id":"0190a000000770008001000000000003","series":"0190a000000870008000000000000065","name":"Closed","type":"BOOLEAN","required":true},{"id":"0190a000000770008002000000000003","series":"0190a000000870008000000000000066","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5}]},{"id":"0190a000000670008002000000000003","series":"0190a00000087000800000000000000c","point":"0190a000000370008000000000000002","name":"Pier","actions":[{"id":"0190a000000770008003000000000003","series":"0190a000000870008000000000000067","name":"Remarks","type":"TEXT"},{"id":"0190a000000770008004000000000003","series":"0190a000000870008000000000000068","name":"Photo","type":"MEDIA","required":true}]}]');
INSERT INTO public.task_executions VALUES ('01a200d6-0c19-7588-8e6a-fe5cef31351d', 1, '0190a000-0004-7000-8000-000000000001', NULL, '0190a000-0002-7000-8000-000000000001', NULL, '{0190a000-0001-7000-8000-000000000004,0190a000-0001-7000-8000-000000000003}', '{0190a000-0003-7000-8000-000000000001,0190a000-0003-7000-8000-000000000002}', 0, NULL, 0, true, false, false, false, false, '2026-01-11 08:00:00+00', '2026-01-11 09:00:00+00', NULL, NULL, 0, 0, 2, 0, 'Round 1', 'round 1', '{night,fire}', 'nightAfire', 'Along the fence', 'along the fence', '[{"id":"01a200d60c1975888e6afe5dbaaf0eb4","point":"0190a000000370008000000000000001","name":"Gate","actions":[{"id":"01a200d60c1975888e6afe5ef1d980ac","name":"Closed","type":"BOOLEAN","required":true},{"id":"01a200d60c1975888e6afe5fd6d6cd0c","name":"Pressure","type":"NUMBER","min":1.0,"max":2.5}]},{"id":"01a200d60c1975888e6afe606a9fa8c7","point":"0190a000000370008000000000000002","name":"Pier","actions":[{"id":"01a200d60c1975888e6afe61ba27e7bd","name":"Remarks","type":"TEXT"},{"id":"01a200d60c1975888e6afe627791a720","name":"Photo","type":"MEDIA","required":true}]}]');


--
-- Data for Name: tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tokens VALUES ('01a200d6-09b1-77c7-a105-11d01c20cc46', '\x4369c790c30fbf50ef2997a303ff0e1b56a6a7b71ae6a18f5b2a47545d4a837f', '0190a000-0001-7000-8000-000000000004', 'phone', 'phone', '2026-11-22 01:19:16.913+00', NULL, NULL);
INSERT INTO public.tokens VALUES ('01a200d6-08fd-7122-aab4-48caa18631f4', '\xfba4027cf779a68a3129447b383495d841fb8457ee6b0688241786e8062adf17', '0190a000-0001-7000-8000-000000000001', 'laptop', 'laptop', '2026-11-22 01:19:16.733+00', NULL, '2026-11-22 01:19:00+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('0190a000-0001-7000-8000-000000000001', 'Ada', NULL, 'Ash', 'A1', 'a1', 'Pin271828', 'A1@example.org', 'a1@example.org', NULL, 'en', 2, 0, NULL, '{}', '{}', false);
INSERT INTO public.users VALUES ('0190a000-0001-7000-8000-000000000002', 'Ada', NULL, 'Ash', 'M1', 'm1', 'Pin271828', 'M1@example.org', 'm1@example.org', '+44 20 7946 0018', 'en', 1, 0, NULL, '{}', '{day,north}', false);
INSERT INTO public.users VALUES ('0190a000-0001-7000-8000-000000000005', 'Ada', NULL, 'Ash', 'E3', 'e3', 'Pin271828', 'E3@example.org', 'e3@example.org', NULL, 'en', 0, 1, NULL, '{}', '{}', false);
INSERT INTO public.users VALUES ('0190a000-0001-7000-8000-000000000003', 'Ada', NULL, 'Ash', 'E1', 'e1', 'Pin271828', 'E1@example.org', 'e1@example.org', '+44 20 7946 0000', 'en', 0, 0, NULL, '{0190a000-0002-7000-8000-000000000001}', '{новичок}', false);
INSERT INTO public.users VALUES ('0190a000-0001-7000-8000-000000000004', 'Ada', 'Ольга', 'Ash', 'E2', 'e2', 'Pin271828', 'E2@example.org', 'e2@example.org', NULL, 'en', 0, 0, '01a200d6-0aea-77cb-8592-e7439db9c5c9', '{}', '{}', false);


--
-- Name: point_history_history_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.point_history_history_id_seq', 6, true);


--
-- Name: __diesel_schema_migrations __diesel_schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.__diesel_schema_migrations
    ADD CONSTRAINT __diesel_schema_migrations_pkey PRIMARY KEY (version);


--
-- Name: check_list_actions check_list_actions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.check_list_actions
    ADD CONSTRAINT check_list_actions_pkey PRIMARY KEY (id);


--
-- Name: check_lists check_lists_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.check_lists
    ADD CONSTRAINT check_lists_pkey PRIMARY KEY (id);


--
-- Name: graphic_plans graphic_plans_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.graphic_plans
    ADD CONSTRAINT graphic_plans_pkey PRIMARY KEY (id);


--
-- Name: locations locations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_pkey PRIMARY KEY (id);


--
-- Name: migration_lock migration_lock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migration_lock
    ADD CONSTRAINT migration_lock_pkey PRIMARY KEY (id);


--
-- Name: passwords passwords_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passwords
    ADD CONSTRAINT passwords_pkey PRIMARY KEY (user_id);


--
-- Name: photo_announcements photo_announcements_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.photo_announcements
    ADD CONSTRAINT photo_announcements_pkey PRIMARY KEY (photo_id);


--
-- Name: point_history point_history_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.point_history
    ADD CONSTRAINT point_history_pkey PRIMARY KEY (history_id);


--
-- Name: points points_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.points
    ADD CONSTRAINT points_pkey PRIMARY KEY (id);


--
-- Name: scheduled_tasks scheduled_tasks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scheduled_tasks
    ADD CONSTRAINT scheduled_tasks_pkey PRIMARY KEY (id);


--
-- Name: task_executions task_executions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_executions
    ADD CONSTRAINT task_executions_pkey PRIMARY KEY (id);


--
-- Name: tokens tokens_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_digest_key UNIQUE (digest);


--
-- Name: tokens tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: check_list_actions_by_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX check_list_actions_by_list ON public.check_list_actions USING btree (check_list_id, place, "position");


--
-- Name: graphic_plans_by_location; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX graphic_plans_by_location ON public.graphic_plans USING btree (location_id, id);


--
-- Name: locations_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX locations_by_name ON public.locations USING btree (name_folded, id);


--
-- Name: locations_by_tags; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX locations_by_tags ON public.locations USING gin (tags);


--
-- Name: photo_announcements_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX photo_announcements_by_time ON public.photo_announcements USING btree (announced_at, photo_id);


--
-- Name: point_history_by_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX point_history_by_kind ON public.point_history USING btree (kind, id, history_id);


--
-- Name: point_history_by_location; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX point_history_by_location ON public.point_history USING btree (location_id, id, history_id);


--
-- Name: point_history_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX point_history_by_name ON public.point_history USING btree (name_folded, id, history_id);


--
-- Name: point_history_by_point; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX point_history_by_point ON public.point_history USING btree (id, history_id);


--
-- Name: point_history_by_tags; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX point_history_by_tags ON public.point_history USING gin (tags);


--
-- Name: point_history_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX point_history_by_time ON public.point_history USING btree (recorded_at, id, history_id);


--
-- Name: points_by_qr_code; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX points_by_qr_code ON public.points USING btree (qr_code) WHERE (qr_code IS NOT NULL);


--
-- Name: points_by_rfid_code; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX points_by_rfid_code ON public.points USING btree (rfid_code) WHERE (rfid_code IS NOT NULL);


--
-- Name: task_executions_by_assignees; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_assignees ON public.task_executions USING gin (assignee_ids);


--
-- Name: task_executions_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_end ON public.task_executions USING btree (end_at, start_at, state, status, priority, published);


--
-- Name: task_executions_by_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_ended ON public.task_executions USING btree (ended_at DESC NULLS LAST, id);


--
-- Name: task_executions_by_location; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_location ON public.task_executions USING btree (location_id, start_at, state, status, priority, published, end_at);


--
-- Name: task_executions_by_location_and_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_location_and_id ON public.task_executions USING btree (location_id, id);


--
-- Name: task_executions_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_name ON public.task_executions USING btree (name_folded, id);


--
-- Name: task_executions_by_performer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_performer ON public.task_executions USING btree (performer_id) WHERE (performer_id IS NOT NULL);


--
-- Name: task_executions_by_points; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_points ON public.task_executions USING gin (point_ids);


--
-- Name: task_executions_by_priority_and_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_priority_and_id ON public.task_executions USING btree (priority, id);


--
-- Name: task_executions_by_published_and_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_published_and_id ON public.task_executions USING btree (published, id);


--
-- Name: task_executions_by_series; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_series ON public.task_executions USING btree (series_id) WHERE (series_id IS NOT NULL);


--
-- Name: task_executions_by_start; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_start ON public.task_executions USING btree (start_at, state, status, priority, published, end_at);


--
-- Name: task_executions_by_started; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_started ON public.task_executions USING btree (started_at DESC NULLS LAST, id);


--
-- Name: task_executions_by_state_and_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_state_and_id ON public.task_executions USING btree (state, id);


--
-- Name: task_executions_by_status_and_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_status_and_id ON public.task_executions USING btree (status, id);


--
-- Name: task_executions_by_tags; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_tags ON public.task_executions USING gin (tags);


--
-- Name: task_executions_by_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_executions_by_text ON public.task_executions USING gin (name_folded public.gin_trgm_ops, description_folded public.gin_trgm_ops, tags_folded public.gin_trgm_ops);


--
-- Name: tokens_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tokens_by_user ON public.tokens USING btree (user_id, id);


--
-- Name: users_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX users_by_email ON public.users USING btree (email_folded) WHERE (email_folded IS NOT NULL);


--
-- Name: users_by_employee_no; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX users_by_employee_no ON public.users USING btree (employee_no_folded) WHERE (employee_no_folded IS NOT NULL);


--
-- Name: users_by_photo; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_photo ON public.users USING btree (photo_id) WHERE (photo_id IS NOT NULL);


--
-- Name: users_by_role; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_role ON public.users USING btree (role, status, id);


--
-- Name: check_list_actions check_list_actions_check_list_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.check_list_actions
    ADD CONSTRAINT check_list_actions_check_list_id_fkey FOREIGN KEY (check_list_id) REFERENCES public.check_lists(id) ON DELETE CASCADE;


--
-- Name: graphic_plans graphic_plans_location_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.graphic_plans
    ADD CONSTRAINT graphic_plans_location_id_fkey FOREIGN KEY (location_id) REFERENCES public.locations(id);


--
-- Name: passwords passwords_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passwords
    ADD CONSTRAINT passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: point_history point_history_location_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.point_history
    ADD CONSTRAINT point_history_location_id_fkey FOREIGN KEY (location_id) REFERENCES public.locations(id);


--
-- Name: points points_location_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.points
    ADD CONSTRAINT points_location_id_fkey FOREIGN KEY (location_id) REFERENCES public.locations(id);


--
-- Name: task_executions task_executions_location_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_executions
    ADD CONSTRAINT task_executions_location_id_fkey FOREIGN KEY (location_id) REFERENCES public.locations(id);


--
-- Name: task_executions task_executions_performer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_executions
    ADD CONSTRAINT task_executions_performer_id_fkey FOREIGN KEY (performer_id) REFERENCES public.users(id);


--
-- Name: task_executions task_executions_scheduled_task_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_executions
    ADD CONSTRAINT task_executions_scheduled_task_id_fkey FOREIGN KEY (scheduled_task_id) REFERENCES public.scheduled_tasks(id);


--
-- Name: tokens tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


--
-- PostgreSQL database dump complete
--


