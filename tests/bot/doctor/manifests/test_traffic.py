"""Policies, Services and Ingresses are judged by whom they let through."""

import pytest

from bot.doctor.manifests import traffic
from bot.doctor.manifests.workloads import workloads

WEB = {
    "name": "a",
    "image": "countersign:1.2.3",
    "args": ["serve", "--host", "0.0.0.0"],
    "ports": [{"name": "http", "containerPort": 8080}],
}


def found(name, *objects, part=WEB):
    """What one item says of a Deployment and these objects."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [part]}}
    every = [{"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": template}}, *objects]
    return traffic.judge(every, workloads(every))[name]


def policy(**said):
    """A policy for every pod."""
    return {
        "kind": "NetworkPolicy",
        "metadata": {"name": "n"},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"], **said},
    }


BLOCK = {"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, ""),  # nothing in, nothing out
        ({"ingress": [{"from": [{"podSelector": {}}]}], "egress": [{"ports": [{"port": 443}]}]}, ""),
        ({"ingress": [{"from": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "proxy"}}}]}]}, ""),
        ({"ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]}, ""),
        ({"ingress": [{"ports": [{"port": 8080}]}]}, "ingress[0] lets anyone in"),
        ({"ingress": [{"from": []}]}, "ingress[0] lets anyone in"),
        ({"ingress": [{"from": [BLOCK], "ports": [{"port": 8080}]}]}, "ingress[0] lets anyone in"),
        ({"egress": [{"to": [BLOCK], "ports": [{"port": 443}]}]}, ""),
        ({"egress": [{"to": [BLOCK]}]}, "egress[0] lets everything out"),
        ({"egress": [{"ports": [{"protocol": "TCP"}]}]}, "egress[0] lets everything out"),
        ({"egress": [{"ports": [{"port": 1, "endPort": 65535}]}]}, "egress[0] lets everything out"),
        ({"egress": [{"to": [{"ipBlock": {"cidr": "odd"}}]}]}, ""),
    ],
)
def test_a_policy_has_to_limit_peers_or_ports(said, why):
    assert found("security.network-policy", policy(**said)) == (
        [f"deployment/web: networkpolicy/n {why}"] if why else []
    )


def test_a_policy_for_one_direction_is_only_half():
    assert found("security.network-policy", policy(policyTypes=None, egress=[])) == []
    assert found("security.network-policy", policy(policyTypes=None)) == [
        "deployment/web: no NetworkPolicy limits its egress"
    ]
    other = {**policy(), "metadata": {"name": "n", "namespace": "other"}}
    assert len(found("security.network-policy", other)) == 2


def service(**spec):
    """A Service that leads to the Deployment."""
    annotations = spec.pop("annotations", {})
    return {
        "kind": "Service",
        "metadata": {"name": "s", "annotations": annotations},
        "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": "http"}], **spec},
    }


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({}, ""),
        ({"type": "NodePort"}, "spec.type is NodePort"),
        ({"externalIPs": ["192.0.2.1"]}, "spec.externalIPs is set"),
        ({"type": "LoadBalancer"}, "spec.type is LoadBalancer"),
        ({"type": "LoadBalancer", "annotations": {"networking.gke.io/load-balancer-type": "Internal"}}, ""),
        (
            {
                "type": "LoadBalancer",
                "annotations": {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"},
            },
            "",
        ),
        (
            {
                "type": "LoadBalancer",
                "annotations": {"service.beta.kubernetes.io/azure-load-balancer-internal": "false"},
            },
            "spec.type is LoadBalancer",
        ),
        ({"type": "NodePort", "selector": {"app": "other"}}, ""),
    ],
)
def test_only_countersigns_own_metrics_count_as_exposed(spec, said):
    expected = [f"service/s: {said}, so /metrics of deployment/web can be reached from outside"] if said else []
    assert found("security.exposure", service(**spec)) == expected
    assert found("security.exposure", service(**spec), part={"name": "a", "image": "nginx:1.27.1"}) == []


def ingress(annotations=None, host="cla.example.org", **spec):
    """An Ingress to the Service."""
    path = {"path": "/", "backend": {"service": {"name": "s", "port": {"name": "http"}}}}
    rules = [{"host": host, "http": {"paths": [path]}}]
    return {
        "kind": "Ingress",
        "metadata": {"name": "i", "annotations": annotations or {}},
        "spec": {"rules": rules, **spec},
    }


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (ingress(tls=[{"hosts": ["cla.example.org"]}]), []),
        (ingress(tls=[{"hosts": ["*.example.org"]}]), []),
        (ingress(tls=[{"secretName": "x"}]), []),
        (ingress(), ["spec.tls is not set"]),
        (ingress(tls=[{"hosts": ["example.org"]}]), ["spec.tls does not name cla.example.org"]),
        (ingress({"nginx.ingress.kubernetes.io/ssl-redirect": "true"}, tls=[{"hosts": ["cla.example.org"]}]), []),
        (ingress({"kubernetes.io/ingress.allow-http": "true"}, tls=[{}]), ["kubernetes.io/ingress.allow-http is true, so it also answers without TLS"]),
    ],
)  # fmt: skip
def test_each_served_host_needs_its_certificate(manifest, said):
    assert found("security.tls", manifest) == [f"ingress/i: {text}" for text in said]


def test_routes_and_gateways_need_tls_too():
    assert found("security.tls") is None
    assert (
        found("security.tls", {"kind": "Route", "metadata": {"name": "r"}, "spec": {"tls": {"termination": "edge"}}})
        == []
    )
    gateway = {"kind": "Gateway", "metadata": {"name": "g"}, "spec": {"listeners": [{"protocol": "HTTP"}]}}
    assert found("security.tls", gateway) == ["gateway/g: no listener has the protocol HTTPS"]


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([service()], []),
        ([service(), ingress(tls=[{}])], []),
        ([], ["deployment/web: no Service leads to it"]),
        (
            [service(selector={"app": "x"})],
            ["service/s: spec.selector matches no pod", "deployment/web: no Service leads to it"],
        ),
        ([service(selector=None)], ["deployment/web: no Service leads to it"]),
        ([service(ports=[{"port": 80}])], ["service/s: nothing listens on port 80 of deployment/web"]),
        (
            [service(ports=[{"port": 80, "targetPort": "web"}])],
            ["service/s: nothing listens on port web of deployment/web"],
        ),
        ([service(ports=[{"port": 8080}]), ingress()], ["ingress/i: service/s has no port http"]),
    ],
)
def test_services_and_ingresses_have_to_lead_to_the_pods(objects, said):
    assert found("reliability.selectors", *objects) == said


def test_a_port_matters_only_where_the_container_names_ports():
    own = {"name": "a", "image": "x:1.2.3"}
    assert found("reliability.selectors", service(ports=[{"port": 1}]), part=own) == []
    named = {**own, "ports": [{"containerPort": 2}]}
    assert found("reliability.selectors", service(ports=[{"port": 1}]), part=named) == [
        "service/s: nothing listens on port 1 of deployment/web"
    ]


def test_a_service_of_another_namespace_does_not_lead_to_a_namesake():
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [WEB]}}
    every = [
        {"kind": "Deployment", "metadata": {"name": "web", "namespace": space}, "spec": {"template": template}}
        for space in ("a", "b")
    ]
    every.append({**service(), "metadata": {"name": "s", "namespace": "a"}})
    assert traffic.judge(every, workloads(every))["reliability.selectors"] == ["deployment/web: no Service leads to it"]
