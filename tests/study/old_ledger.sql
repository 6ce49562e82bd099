-- A ledger of schema 1 with two trials, as caveat wrote them before topics had one word.
PRAGMA application_id=0x43564154;
PRAGMA user_version=1;
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE study (name TEXT NOT NULL PRIMARY KEY, spec TEXT NOT NULL);
CREATE TABLE trial (key TEXT NOT NULL PRIMARY KEY, search TEXT NOT NULL, spec TEXT NOT NULL,
    owner TEXT, token INTEGER DEFAULT '0' NOT NULL, expires FLOAT DEFAULT '0' NOT NULL);
CREATE TABLE plan (study TEXT NOT NULL, key TEXT NOT NULL, place INTEGER, PRIMARY KEY (study, key),
    FOREIGN KEY(study) REFERENCES study (name), FOREIGN KEY(key) REFERENCES trial (key));
CREATE TABLE result (key TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL, record TEXT, reason TEXT, error TEXT,
    FOREIGN KEY(key) REFERENCES trial (key));
CREATE TABLE attempt (id INTEGER NOT NULL PRIMARY KEY, key TEXT NOT NULL, owner TEXT NOT NULL, token INTEGER,
    outcome TEXT NOT NULL, ended FLOAT NOT NULL, seconds FLOAT, rss BIGINT, host TEXT, versions TEXT,
    FOREIGN KEY(key) REFERENCES trial (key));
CREATE INDEX ix_attempt_key ON attempt (key);
CREATE TABLE glossary (topic TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, facts TEXT NOT NULL,
    PRIMARY KEY (topic, kind, name));
INSERT INTO meta VALUES ('schema', '1');
INSERT INTO study VALUES ('old', '{"datasets":["iris"],"learners":["mm"],"study":"old","topic":"proportions"}');
INSERT INTO trial (key, search, spec) VALUES
    ('KEY0', 'GROUP0', 'SPEC0'), ('KEY1', 'GROUP1', 'SPEC1');
INSERT INTO plan VALUES ('old', 'KEY0', 0), ('old', 'KEY1', 1);
INSERT INTO result VALUES
    ('KEY0', 'done', '{"curves":{},"digests":{},"notes":[],"table":{"checkpoint":[null],"config":[0],"test.auc":[0.75]}}', NULL, NULL),
    ('KEY1', 'failed', NULL, 'ValueError', '{"frames":[],"message":"no bags"}');
INSERT INTO attempt VALUES
    (1, 'KEY0', 'host|boot|1|0', 1, 'done', 0.0, 1.5, 1000, 'host', '{"caveat":"0.1.0"}'),
    (2, 'KEY1', 'host|boot|1|0', 1, 'failed', 0.0, 0.5, 1000, 'host', '{"caveat":"0.1.0"}');
INSERT INTO glossary VALUES
    ('baseline', 'learner', 'eapp', '{"title":"EAPP"}'),
    ('proportions', 'learner', 'mm', '{"title":"mean map"}');
